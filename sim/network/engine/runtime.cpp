// Runs networks of a core, cycle by cycle: cables between copies, sources, queues, sinks, checks, statistics.
// state.hpp has its data, engine.py builds it; generate.py makes the functions that evaluate the core.
//
// A cycle of a word of 512 copies: cables carry outputs to inputs, the core steps, then hosts look at the outputs of this cycle
// and set the inputs of the next one. Outputs are flip-flops and there are two sets of these, so a step spoils no output of this
// cycle, and words may step in any order.
#include "buffers.hpp"
#include "cables.hpp"
#include "errors.hpp"
#include "sinks.hpp"
#include "sources.hpp"

static void meet(Sim& s, int threads) {
    const int sense = s.sense.load();
    if (s.waiting.fetch_add(1) + 1 == threads) {
        s.stopped = s.failed;
        s.waiting = 0;
        s.sense = sense + 1;
    } else
        for (int spins = 0; s.sense.load(std::memory_order_acquire) == sense;)
            if (++spins > 2000) std::this_thread::yield();
}

static void turn(Sim& s, Word& w) {
    const int parity = w.now & 1;
    if (s.joined) {
        read_mail(s, w, parity ^ 1);
        if (s.errors) read_returns(s, w, parity ^ 1);
    }
    carry(s, w, parity);
    if (s.errors) disturb(s, w);
    s.c.step(w.rows, parity);
    observe(s, w, parity);
    receive(s, w, parity);
    if (++w.link_cycles == (1 << PLANES) - 1) flush_links(s, w);
    generate(s, w, w.now + 1);
    if (s.holds) reply(s, w, w.now + 1);
    inject(s, w, w.now + 1);
    if (s.delayed) remember(s, w, parity ^ 1, (w.now + 1) % s.slots);
    spread(s, w, parity ^ 1, (w.now + 1) % s.slots);
    ++w.now;
}

extern "C" {
Sim* sim_new(const Config* config, const Traffic* traffic) {
    Sim& s = *new Sim;
    s.c = *config;
    s.traffic.assign(traffic, traffic + s.c.points);
    s.running.assign(s.c.points, 1);
    s.measuring.assign(s.c.points, 0);
    bool drops = false;
    for (const Traffic& one : s.traffic) drops |= one.lossy, s.errors |= one.errors > 0;
    for (int k = 0; k < s.c.events; ++k) s.lossy |= drops && s.c.event_cause[k] >= 0;
    s.host_total = s.c.switches * s.c.hosts;
    while (1 << s.planes <= s.c.depth) ++s.planes;
    const int all = s.c.ports + s.c.hosts;
    find_wires(s);
    s.words = std::vector<Word>(s.c.words);
    for (int number = 0; number < s.c.words; ++number) {
        Word& w = s.words[number];
        w.sim = &s, w.number = number, w.rows = s.c.rows[number];
        place_cables(s, w);
        w.hosts.resize(s.c.hosts * COPIES);
        w.arriving.resize((size_t)s.c.hosts * COPIES * s.c.channels);
        w.busy.resize(s.c.hosts * GROUPS);
        w.soonest.resize(s.c.hosts);
        w.sending.resize((size_t)(s.c.hosts + 1) * data_chunks(s) * 64);
        w.filled.resize((size_t)all * s.c.channels * (PLANES + 1));
        start_waits(w, all * s.c.channels);
        w.link_planes.resize(s.c.ports * PLANES);
        w.link_flits.resize(s.c.ports * COPIES);
        w.holds.resize(s.c.hosts);
        w.source_flits.resize(s.c.hosts * COPIES);
        w.destination_flits.resize(s.c.hosts * COPIES);
        for (auto& side : w.mail) side.resize(s.c.words);
        for (auto& side : w.returns) side.resize(s.c.words);
        if (s.lossy) w.heads.resize((size_t)(s.c.latency + 1) * all * head_bits(s));
        if (s.errors) start_errors(s, w);
        w.slot_of.assign(s.c.points, -1);
        for (int lane = 0; lane < COPIES; ++lane) {
            const int point = s.c.point_of[number * COPIES + lane];
            if (point < 0) continue;
            if (w.slot_of[point] < 0) {
                w.slot_of[point] = w.points.size();
                w.points.push_back(point), w.masks.push_back(Row{}), w.counts.push_back(new Counts{}), w.logs.emplace_back();
            }
            w.masks[w.slot_of[point]][lane / 64] |= (u64)1 << lane % 64;
            w.used[lane / 64] |= (u64)1 << lane % 64;
            const Traffic& one = s.traffic[point];
            for (int port = 0; port < s.c.hosts; ++port) {
                Host& host = w.hosts[port * COPIES + lane];
                const u32 me = (number * COPIES + lane - one.base) * s.c.hosts + port;
                host.random.state = mix(mix(one.seed) + me);
                host.credits.assign(s.c.channels, s.c.host_credits[port]);
                // The replies of a closed loop have a queue of their own, in one virtual network too.
                host.senders.resize(one.outstanding ? 2 : s.c.virtual_networks);
                if (one.outstanding || (one.blocked && one.blocked[me])) {
                    s.holds = true;
                    w.holds[port][lane / 64] |= (u64)1 << lane % 64;
                    host.inboxes.resize(s.c.channels);
                }
                if (one.trace) {
                    host.trace_at = one.trace_first[me], host.trace_end = one.trace_first[me + 1];
                    if (host.trace_at < host.trace_end) host.next = one.trace[3 * host.trace_at];
                }
            }
        }
        w.fill.resize(w.points.size() * all * s.c.channels);
        w.networks.resize(w.points.size() * s.c.virtual_networks);
    }
    return &s;
}

void sim_delete(Sim* s) {
    for (Word& w : s->words)
        for (Counts* counts : w.counts) delete counts;
    delete s;
}

// Probabilities of packets per cycle have changed, or a point begins or ends to offer packets.
void sim_load(Sim* s, int point, const double* load, int running) {
    Traffic& traffic = s->traffic[point];
    traffic.load = load;
    for (Word& w : s->words) {
        if (w.slot_of[point] < 0) continue;
        for (int port = 0; port < s->c.hosts; ++port) {
            w.soonest[port] = 0;
            for (int lane = 0; lane < COPIES; ++lane) {
                if (s->c.point_of[w.number * COPIES + lane] != point) continue;
                Host& host = w.hosts[port * COPIES + lane];
                const u32 me = (w.number * COPIES + lane - traffic.base) * s->c.hosts + port;
                if (traffic.trace) {
                    if (!running) host.next = ~(u64)0;
                    continue;
                }
                const bool silent = !running || load[me] <= 0 || (traffic.table && traffic.table[me] < 0);
                host.log_rest = load[me] < 1 ? std::log1p(-load[me]) : -INFINITY;
                host.next = silent ? ~(u64)0 : s->cycle + gap(host, traffic);
            }
        }
    }
}

// The cycles so far were a start in which no host sent: cycle 0 is now. Their number is a multiple of 2 and of the slots.
void sim_begin(Sim* s) {
    s->cycle = 0;
    for (Word& w : s->words) {
        w.now = 0;
        for (Counts* counts : w.counts) counts->last_move = 0;
        for (int port = 0; port < s->c.hosts; ++port) {
            w.soonest[port] = 0;
            for (int lane = 0; lane < COPIES; ++lane) {
                const int point = s->c.point_of[w.number * COPIES + lane];
                if (point < 0 || !s->traffic[point].trace) continue;
                Host& host = w.hosts[port * COPIES + lane];
                if (host.trace_at < host.trace_end) host.next = s->traffic[point].trace[3 * host.trace_at];
            }
        }
    }
}

// Packets that wait in source queues and have not begun to leave are taken back.
void sim_withdraw(Sim* s, int point) {
    for (Word& w : s->words) {
        const int slot = w.slot_of[point];
        if (slot < 0) continue;
        for (int port = 0; port < s->c.hosts; ++port)
            for (int lane = 0; lane < COPIES; ++lane) {
                if (s->c.point_of[w.number * COPIES + lane] != point) continue;
                Host& host = w.hosts[port * COPIES + lane];
                bool empty = true;
                for (Sender& one : host.senders) {
                    // Replies are owed.
                    const bool keeps = s->traffic[point].outstanding && &one == &host.senders.back();
                    const size_t first = keeps ? one.queue.items.size() : one.queue.first + (one.flits > 0);
                    for (size_t k = first; k < one.queue.items.size(); ++k) {
                        --w.counts[slot]->queued;
                        host.outstanding -= s->traffic[point].outstanding > 0;
                        w.counts[slot]->missing -= one.queue.items[k].measured;
                    }
                    if (first < one.queue.items.size()) one.queue.items.resize(first);
                    if (one.queue.empty()) one.queue.items.clear(), one.queue.first = 0;
                    else empty = false;
                }
                if (empty) w.busy[port * GROUPS + lane / 64] &= ~((u64)1 << lane % 64);
            }
    }
}

// The counters of measured packets begin again (1), or end (0).
void sim_measure(Sim* s, int point, int measuring) {
    const int all = s->c.ports + s->c.hosts;
    for (Word& w : s->words) {
        const int slot = w.slot_of[point];
        if (slot < 0) continue;
        flush_links(*s, w);
        if (!measuring) continue;
        const Counts old = *w.counts[slot];
        *w.counts[slot] = Counts{};
        w.counts[slot]->in_flight = old.in_flight, w.counts[slot]->queued = old.queued, w.counts[slot]->last_move = old.last_move;
        std::fill_n(w.networks.begin() + (size_t)slot * s->c.virtual_networks, s->c.virtual_networks, NetworkCounts{});
        std::fill_n(w.fill.begin() + (size_t)slot * all * s->c.channels, all * s->c.channels, 0);
        for (int lane = 0; lane < COPIES; ++lane) {
            if (s->c.point_of[w.number * COPIES + lane] != point) continue;
            for (int port = 0; port < s->c.ports; ++port) w.link_flits[port * COPIES + lane] = 0;
            for (int port = 0; port < s->c.hosts; ++port) {
                w.source_flits[port * COPIES + lane] = w.destination_flits[port * COPIES + lane] = 0;
                Host& host = w.hosts[port * COPIES + lane];
                for (Sender& one : host.senders)
                    for (size_t k = one.queue.first; k < one.queue.items.size(); ++k) one.queue.items[k].measured = false;
                for (Packet& packet : host.out) packet.measured = false;
            }
        }
    }
    s->measuring[point] = measuring;
}

// Runs; returns 1 if a word has noticed an error.
int sim_run(Sim* s, u64 cycles) {
    for (Word& w : s->words) {
        if (!s->cycle) {
            generate(*s, w, 0);
            inject(*s, w, 0);
        }
        // The outputs may have been changed from outside since the last run.
        if (s->delayed) remember(*s, w, s->cycle & 1, s->cycle % s->slots);
        spread(*s, w, s->cycle & 1, s->cycle % s->slots);
    }
    const int count = s->words.size(), threads = s->c.threads < count ? s->c.threads : count;
    const auto work = [&](int thread) {
        const int first = (long)count * thread / threads, last = (long)count * (thread + 1) / threads;
        for (u64 k = 0; k < cycles && !(s->joined ? s->stopped : (bool)s->failed); ++k) {
            for (int number = first; number < last; ++number) turn(*s, s->words[number]);
            // Words without cables between them need not wait for each other.
            if (s->joined) meet(*s, threads);
        }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
    work(0);
    for (std::thread& other : others) other.join();
    s->cycle = s->words[0].now;
    for (Word& w : s->words)
        for (int parity : {0, 1}) read_mail(*s, w, parity);
    return s->failed;
}

u64 sim_cycle(const Sim* s) { return s->cycle; }

// The first error.
void sim_error(const Sim* s, Error* error) {
    *error = {};
    for (const Word& w : s->words)
        if (w.error.kind && (!error->kind || w.error.cycle < error->cycle)) *error = w.error;
}

// Counters of a point, summed over words. ``arrays``: link flits [switch][port], flits by source and by destination host, fill.
void sim_counts(Sim* s, int point, Counts* sum, u64* links, u64* sources, u64* destinations, u64* fill) {
    *sum = {};
    const int all = s->c.ports + s->c.hosts, base = s->traffic[point].base;
    for (Word& w : s->words) {
        const int slot = w.slot_of[point];
        if (slot < 0) continue;
        flush_links(*s, w);
        const Counts& one = *w.counts[slot];
        const u64* from = reinterpret_cast<const u64*>(&one);
        u64* to = reinterpret_cast<u64*>(sum);
        for (size_t k = 0; k < sizeof(Counts) / 8; ++k) {
            const size_t greatest = offsetof(Counts, greatest) / 8, moved = offsetof(Counts, last_move) / 8;
            const size_t samples = offsetof(Counts, fill_samples) / 8, wait = offsetof(Counts, longest_wait) / 8;
            if ((k >= greatest && k < greatest + 4) || k == moved || k == samples || k == wait) to[k] = from[k] > to[k] ? from[k] : to[k];
            else to[k] += from[k];
        }
        for (int k = 0; k < all * s->c.channels; ++k) fill[k] += w.fill[(size_t)slot * all * s->c.channels + k];
        for (int lane = 0; lane < COPIES; ++lane) {
            if (s->c.point_of[w.number * COPIES + lane] != point) continue;
            const long number = w.number * COPIES + lane - base;
            for (int port = 0; port < s->c.ports; ++port)
                links[number * s->c.ports + port] = w.link_flits[port * COPIES + lane];
            for (int port = 0; port < s->c.hosts; ++port) {
                sources[number * s->c.hosts + port] = w.source_flits[port * COPIES + lane];
                destinations[number * s->c.hosts + port] = w.destination_flits[port * COPIES + lane];
            }
        }
    }
}

// The same of each virtual network.
void sim_networks(Sim* s, int point, NetworkCounts* sums) {
    for (int network = 0; network < s->c.virtual_networks; ++network) {
        sums[network] = {};
        u64* to = reinterpret_cast<u64*>(sums + network);
        for (Word& w : s->words) {
            if (w.slot_of[point] < 0) continue;
            const u64* from = reinterpret_cast<const u64*>(&network_counts(*s, w, w.slot_of[point], network));
            const size_t greatest = offsetof(NetworkCounts, greatest) / 8;
            for (size_t k = 0; k < sizeof(NetworkCounts) / 8; ++k) {
                if (k < greatest || k >= greatest + 4) to[k] += from[k];
                else to[k] = from[k] > to[k] ? from[k] : to[k];
            }
        }
    }
}

// Of each host [switch][host port] of a point the channel on which its replies wait, if it takes no request because of them; else -1.
void sim_replies(const Sim* s, int point, i32* channels) {
    const Traffic& traffic = s->traffic[point];
    for (const Word& w : s->words)
        for (int lane = 0; lane < COPIES; ++lane) {
            if (s->c.point_of[w.number * COPIES + lane] != point) continue;
            for (int port = 0; port < s->c.hosts; ++port) {
                const Host& host = w.hosts[port * COPIES + lane];
                const bool full = traffic.outstanding && host.replies >= traffic.reply_queue && !host.senders.back().queue.empty();
                channels[(w.number * COPIES + lane - traffic.base) * s->c.hosts + port] = full ? host.senders.back().channel : -1;
            }
        }
}

u64 sim_records(Sim* s, int point, Record* records) {
    u64 count = 0;
    for (Word& w : s->words)
        if (w.slot_of[point] >= 0)
            for (const Record& record : w.logs[w.slot_of[point]]) {
                if (records) records[count] = record;
                ++count;
            }
    return count;
}

// Whether every buffer is empty and every host has all credits; else the copy, port and channel where this is not so.
int sim_idle(Sim* s, Error* error) {
    const int all = s->c.ports + s->c.hosts;
    for (Word& w : s->words)
        for (int port = 0; port < all; ++port)
            for (int channel = 0; channel < s->c.channels_of[port]; ++channel) {
                Row left{};
                for (int bit = 0; bit < s->planes; ++bit) left |= w.filled[(port * s->c.channels + channel) * (PLANES + 1) + bit];
                left &= w.used;
                for (int lane = 0; lane < COPIES; ++lane) {
                    const bool used = w.used[lane / 64] >> lane % 64 & 1;
                    const bool missing =
                        used && port >= s->c.ports &&
                        w.hosts[(port - s->c.ports) * COPIES + lane].credits[channel] != s->c.host_credits[port - s->c.ports];
                    if ((left[lane / 64] >> lane % 64 & 1) || missing) {
                        *error = {missing ? CREDIT : OVERFLOW_, w.number * COPIES + lane, port, channel, s->cycle, 0, 0, 0};
                        return 0;
                    }
                }
            }
    return 1;
}
}
