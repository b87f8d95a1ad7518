// Runs networks of a core, cycle by cycle: cables between copies, sources, queues, sinks, checks, statistics.
// engine.py builds it and describes its data; generate.py makes the functions that evaluate the core.
//
// A cycle of a word of 512 copies: cables carry outputs to inputs, the core steps, then hosts look at the outputs of this cycle
// and set the inputs of the next one. Outputs are flip-flops and there are two sets of these, so a step spoils no output of this
// cycle, and words may step in any order.
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__AVX512VBMI__) && defined(__AVX512BW__)
#include <immintrin.h>
#define VBMI 1
#endif

typedef uint64_t u64;
typedef uint32_t u32;
typedef int32_t i32;
typedef u64 Row __attribute__((vector_size(64)));

constexpr int COPIES = 512, GROUPS = 8, BINS = 4096, HOPS = 256, PLANES = 8;

extern "C" {
// Everything that is known before the start. Tables of rows are [port][channel] or [port][bit]; ports of hosts follow the others.
struct Config {
    void (*step)(char* rows, int parity);
    char** rows;
    i32 words, ports, hosts, channels, depth, flit, header, longest, flops, events, points, switches, source_shift, source_bits;
    i32 threads, reserved;
    const i32 *channels_of, *rx_valid, *rx_flit, *rx_credit, *tx_valid, *tx_flit, *tx_credit, *event_rows;
    const i32 *from_copy, *from_port, *delay;     // [copy][port]: what drives an input; from_copy is -1 for none
    const i32* point_of;                          // [copy], -1 for none
    const i32* host_of;                           // [source address]: number of the host
    const u64 *source, *destination, *length, *hop;  // see below
};

// A header is the XOR of four words: by source, by destination, by flits, and by hops, without and with the mark of tables.

// The traffic of a point. One of table, cdf, and trace may be given; else destinations are uniform.
struct Traffic {
    i32 base, lengths, cdf_rows, ordered, log, reserved;
    u64 seed;
    const double* load;      // per host: probability of a packet per cycle (in a burst)
    const i32* table;        // per host
    const double* cdf;       // [row][host]
    const double* length_cdf;
    const i32* length_of;
    double on, off;          // mean lengths of bursts and pauses; 0 without bursts
    const u64* trace;        // per row: cycle, destination, flits
    const u64* trace_first;  // per host: first row, and behind the last
};

struct Counts {
    u64 offered_packets, offered_flits, injected_packets, injected_flits, delivered_packets, delivered_flits;
    u64 measured, missing, in_flight, queued, last_move, fill_samples;
    u64 sums[4], greatest[4];
    u64 histogram[4][BINS], hops[HOPS];
};

struct Record {
    u32 source, destination, flits, hops;
    u64 offered, injected, head, tail;
};

struct Error {
    i32 kind, copy, port, channel;
    u64 cycle, source, destination, number;
};
}

enum { EVENT = 1, CREDIT, OVERFLOW_, UNDERFLOW_, HEADER, WRONG_HOST, UNKNOWN, PAYLOAD, ORDER, MARKS, LENGTH };

static u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct Random {
    u64 state;
    u64 next() { return mix(state += 0x9e3779b97f4a7c15u); }
    double real() { return ((next() >> 11) + 1) * 0x1p-53; }  // in (0, 1]
    u32 below(u32 n) { return (next() >> 32) * n >> 32; }
    u64 geometric(double log_rest) {  // at least 1
        const double value = std::log(real()) / log_rest;
        return value < 1e15 ? 1 + (u64)value : (u64)1e15;
    }
};

struct Packet {  // in a source queue or in the network
    u32 destination, flits;
    u64 offered, injected, number;
    bool measured;
};

template <class T> struct Queue {
    std::vector<T> items;
    size_t first = 0;
    bool empty() const { return first == items.size(); }
    T& front() { return items[first]; }
    void push(const T& item) { items.push_back(item); }
    void pop() {
        if (++first == items.size()) items.clear(), first = 0;
        else if (first > 64 && first * 2 > items.size()) items.erase(items.begin(), items.begin() + first), first = 0;
    }
    size_t size() const { return items.size() - first; }
};

struct Host {
    Random random;
    u64 next = ~u64(0), sent_packets = 0, burst_left = 0, trace_at = 0, trace_end = 0;
    double log_rest = 0;
    Queue<Packet> queue;
    std::vector<Packet> out;  // in the network, in the order of their heads
    u32 flits = 0;            // sent of the packet in front of the queue
    i32 channel = 0;
    std::vector<i32> credits;
};

struct Arriving {  // on a channel of a host's sink
    u32 source = 0, flits = 0, hops = 0;
    u64 digest = 0, head = 0, header = 0;
    bool open = false;
};

struct Message {  // a packet has arrived; for the word of its source
    u32 source, flits, hops, destination;  // hosts: source within its word, destination within the point
    u64 digest, head, tail;
    i32 copy, port;
};

struct Segment {  // 64 copies of an input port that are driven from one port of one word with one delay
    i32 group, word, port, delay, full;
    alignas(64) uint8_t byte[64], bit[64];
    int16_t lane[64];
};

// Transposes eight matrices of 64 x 64 bits: bit i of a[k][g] and bit k of a[i][g] change places.
static void transpose(Row* a) {
    u64 mask = 0x00000000ffffffffu;
    for (int j = 32; j; j >>= 1, mask ^= mask << j)
        for (int k = 0; k < 64; k = (k + j + 1) & ~j) {
            const Row t = ((a[k] >> j) ^ a[k + j]) & (Row{} + mask);
            a[k] ^= t << j;
            a[k + j] ^= t;
        }
}

struct Sim;

struct Word {
    Sim* sim;
    int number;
    char* rows;
    std::vector<std::vector<Segment>> cables;         // by input port
    std::vector<Row> history;                         // outputs to other switches of the last cycles, for delays
    std::vector<Row> lanes;                           // the same by copy, for machines without VBMI
    std::vector<Host> hosts;                          // [host port][copy]
    std::vector<Arriving> arriving;                   // [host port][copy][channel]
    std::vector<u64> busy;                            // [host port][group]: sources with packets
    std::vector<u64> soonest;                         // [host port]: a lower bound of the next offered packet
    std::vector<Row> sending, filled, link_planes;    // data by copy; counters of buffers and of links, bit by bit
    std::vector<u64> link_flits, fill, source_flits, destination_flits;
    std::vector<std::vector<Message>> mail[2];        // by the word of the source
    std::vector<int> points;
    std::vector<Row> masks;                           // of points
    std::vector<Counts*> counts;
    std::vector<int> slot_of;                         // by point: place in the three vectors above
    std::vector<std::vector<Record>> logs;
    Row used{};
    Error error{};
    int link_cycles = 0;
    u64 now = 0;  // cycle

    Row& row(int place) { return *reinterpret_cast<Row*>(rows + 64 * (long)place); }
    bool fail(int kind, int copy, int port, int channel, u64 source = 0, u64 destination = 0, u64 number = 0);
};

struct Sim {
    Config c;
    std::vector<Traffic> traffic;
    std::vector<Word> words;
    std::vector<char> running, measuring;
    u64 cycle = 0;
    int slots = 1, wires = 0, chunks = 0, planes = 0, host_total = 0;
    bool joined = false, delayed = false, stopped = false;
    std::vector<std::vector<int>> outs, ins;  // by port: rows of wires
    std::atomic<int> failed{0}, waiting{0}, sense{0};
};

bool Word::fail(int kind, int copy, int port, int channel, u64 source, u64 destination, u64 value) {
    if (!error.kind) error = {kind, number * COPIES + copy, port, channel, now, source, destination, value};
    sim->failed = 1;
    return false;
}

static bool any(Row v) {
    u64 found = 0;
    for (int g = 0; g < GROUPS; ++g) found |= v[g];
    return found;
}

template <class F> static void each(u64 bits, F&& f) {
    for (; bits; bits &= bits - 1) f(__builtin_ctzll(bits));
}

// Cables.

static void remember(Sim& s, Word& w, int parity, int slot) {
    const long shift = parity ? s.c.flops : 0;
    for (int port = 0; port < s.c.ports; ++port) {
        Row* to = &w.history[((size_t)slot * s.c.ports + port) * s.wires];
        for (size_t k = 0; k < s.outs[port].size(); ++k) to[k] = w.row(s.outs[port][k] + shift);
    }
}

#if VBMI
static void carry(Sim& s, Word& w, int parity) {
    const long shift = parity ? s.c.flops : 0;
    for (int port = 0; port < s.c.ports; ++port) {
        const auto& segments = w.cables[port];
        const int wires = s.ins[port].size();
        if (segments.empty()) continue;
        for (int k = 0; k < wires; ++k) {
            u64 found[GROUPS] = {};
            for (const Segment& segment : segments) {
                Word& from = s.words[segment.word];
                const Row* source = segment.delay < 0
                                        ? &from.row(s.outs[segment.port][k] + shift)
                                        : &from.history[((w.now + s.slots - segment.delay) % s.slots * s.c.ports + segment.port) *
                                                            s.wires + k];
                const __m512i bytes = _mm512_permutexvar_epi8(*(const __m512i*)segment.byte, *(const __m512i*)source);
                found[segment.group] |= _mm512_test_epi8_mask(bytes, *(const __m512i*)segment.bit);
            }
            std::memcpy(&w.row(s.ins[port][k]), found, 64);
        }
    }
}
static void spread(Sim&, Word&, int, int) {}
#else
// Outputs by copy: one number has 64 wires of a copy.
static void spread(Sim& s, Word& w, int parity, int slot) {
    const long shift = parity ? s.c.flops : 0;
    for (int port = 0; port < s.c.ports; ++port)
        for (int chunk = 0; chunk < s.chunks; ++chunk) {
            Row* to = &w.lanes[(((size_t)slot * s.c.ports + port) * s.chunks + chunk) * 64];
            const int first = 64 * chunk, count = s.outs[port].size();
            for (int k = 0; k < 64; ++k) to[k] = first + k < count ? w.row(s.outs[port][first + k] + shift) : Row{};
            transpose(to);
        }
}

static void carry(Sim& s, Word& w, int) {
    for (int port = 0; port < s.c.ports; ++port) {
        const auto& segments = w.cables[port];
        if (segments.empty()) continue;
        const int wires = s.ins[port].size();
        for (int chunk = 0; chunk * 64 < wires; ++chunk) {
            Row made[64] = {};
            u64* to = reinterpret_cast<u64*>(made);
            for (const Segment& segment : segments) {
                const int delay = segment.delay < 0 ? 0 : segment.delay;
                const u64* from = reinterpret_cast<const u64*>(
                    &s.words[segment.word].lanes[(((w.now + s.slots - delay) % s.slots * s.c.ports + segment.port) * s.chunks +
                                                  chunk) * 64]);
                for (int i = 0; i < 64; ++i)
                    if (segment.lane[i] >= 0)
                        to[8 * i + segment.group] |= from[8 * (segment.lane[i] & 63) + (segment.lane[i] >> 6)];
            }
            transpose(made);
            for (int k = 0; k < 64 && 64 * chunk + k < wires; ++k) w.row(s.ins[port][64 * chunk + k]) = made[k];
        }
    }
}
#endif

// Counters of flits in buffers and on links.

static void observe(Sim& s, Word& w, int parity) {
    const long shift = parity ? s.c.flops : 0;
    const int all = s.c.ports + s.c.hosts;
    Row moved{};
    for (int port = 0; port < all; ++port) {
        Row leaves{};
        for (int channel = 0; channel < s.c.channels_of[port]; ++channel) {
            const int place = port * s.c.channels + channel;
            const Row up = w.row(s.c.rx_valid[place]), down = w.row(s.c.rx_credit[place] + shift);
            leaves |= w.row(s.c.tx_valid[place] + shift);
            moved |= up;
            const Row change = up ^ down;
            if (!any(change)) continue;
            Row* plane = &w.filled[place * (PLANES + 1)];
            Row carry = change & up, borrow = change & down, above{}, equal = ~Row{};
            for (int bit = 0; bit < s.planes; ++bit) {
                const Row old = plane[bit];
                plane[bit] = old ^ carry ^ borrow;
                carry &= old;
                borrow &= ~old;
            }
            for (int bit = s.planes; bit-- > 0;) {
                const Row most = Row{} - (u64)(s.c.depth >> bit & 1);
                above |= equal & plane[bit] & ~most;
                equal &= ~(plane[bit] ^ most);
            }
            const Row wrong = (above | carry | borrow) & w.used;
            if (any(wrong))
                for (int g = 0; g < GROUPS; ++g)
                    if (wrong[g])
                        w.fail(any(borrow & w.used) ? UNDERFLOW_ : OVERFLOW_, 64 * g + __builtin_ctzll(wrong[g]), port, channel);
        }
        if (port >= s.c.ports) continue;
        moved |= leaves;
        Row* plane = &w.link_planes[port * PLANES];
        for (int bit = 0; bit < PLANES && any(leaves); ++bit) {
            const Row old = plane[bit];
            plane[bit] = old ^ leaves;
            leaves &= old;
        }
    }
    for (size_t slot = 0; slot < w.points.size(); ++slot)
        if (any(moved & w.masks[slot])) w.counts[slot]->last_move = w.now;
    Row events{};
    for (int k = 0; k < s.c.events; ++k) events |= w.row(s.c.event_rows[k] + shift);
    if (any(events & w.used))
        for (int k = 0; k < s.c.events; ++k) {
            const Row event = w.row(s.c.event_rows[k] + shift) & w.used;
            for (int g = 0; g < GROUPS; ++g)
                if (event[g]) w.fail(EVENT, 64 * g + __builtin_ctzll(event[g]), k, 0);
        }
    if (w.now % 16 == 0)
        for (size_t slot = 0; slot < w.points.size(); ++slot) {
            if (!s.measuring[w.points[slot]]) continue;
            ++w.counts[slot]->fill_samples;
            for (int place = 0; place < all * s.c.channels; ++place) {
                u64 sum = 0;
                for (int bit = 0; bit < s.planes; ++bit) {
                    const Row v = w.filled[place * (PLANES + 1) + bit] & w.masks[slot];
                    for (int g = 0; g < GROUPS; ++g) sum += (u64)__builtin_popcountll(v[g]) << bit;
                }
                w.fill[slot * all * s.c.channels + place] += sum;
            }
        }
}

static void flush_links(Sim& s, Word& w) {
    for (int port = 0; port < s.c.ports; ++port)
        for (int bit = 0; bit < PLANES; ++bit) {
            Row& plane = w.link_planes[port * PLANES + bit];
            for (int g = 0; g < GROUPS; ++g)
                each(plane[g], [&](int i) {
                    const int slot = s.c.point_of[w.number * COPIES + 64 * g + i];
                    if (slot >= 0 && s.measuring[slot]) w.link_flits[port * COPIES + 64 * g + i] += (u64)1 << bit;
                });
            plane = Row{};
        }
    w.link_cycles = 0;
}

// Traffic.

static u64 payload(u64 source, u64 number, u32 flit, int chunk) {
    return mix(mix(source << 40 ^ number) + flit * 0x100000001b3u + (u64)chunk * 0xd6e8feb86659fd93u);
}
static u64 add(u64 digest, u64 data) { return (digest ^ data) * 0x9e3779b97f4a7c15u + 1; }

static int data_chunks(const Sim& s) { return (s.c.flit + 63) / 64; }
static u64 chunk_mask(const Sim& s, int chunk) {
    const int bits = s.c.flit - 64 * chunk;
    return bits >= 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
}
static u64 header_mask(const Sim& s) { return s.c.header >= 64 ? ~(u64)0 : ((u64)1 << s.c.header) - 1; }

static u64 gap(Host& host, const Traffic& traffic) {
    if (traffic.on <= 0) return host.random.geometric(host.log_rest);
    u64 rest = host.random.geometric(host.log_rest), passed = 0;
    while (rest > host.burst_left) {
        rest -= host.burst_left;
        passed += host.burst_left + host.random.geometric(std::log1p(-1 / traffic.off));
        host.burst_left = host.random.geometric(std::log1p(-1 / traffic.on));
        if (passed > (u64)1e14) return passed;
    }
    host.burst_left -= rest;
    return passed + rest;
}

static u32 place_of(const double* cdf, u32 count, double value) {
    u32 low = 0, high = count - 1;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (cdf[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void offer(Word& w, int slot, Host& host, const Packet& packet) {
    Counts& counts = *w.counts[slot];
    host.queue.push(packet);
    ++counts.queued;
    if (!packet.measured) return;
    ++counts.offered_packets;
    counts.offered_flits += packet.flits;
    ++counts.missing;
}

static void generate(Sim& s, Word& w, u64 now) {
    for (int port = 0; port < s.c.hosts; ++port) {
        if (w.soonest[port] > now) continue;
        u64 soonest = ~(u64)0;
        for (int copy = 0; copy < COPIES; ++copy) {
            Host& host = w.hosts[port * COPIES + copy];
            while (host.next <= now) {
                const int point = s.c.point_of[w.number * COPIES + copy], slot = w.slot_of[point];
                const Traffic& traffic = s.traffic[point];
                const u32 me = (w.number * COPIES + copy - traffic.base) * s.c.hosts + port;
                Packet packet{0, 0, now, 0, 0, (bool)s.measuring[point]};
                if (traffic.trace) {
                    const u64* line = traffic.trace + 3 * host.trace_at;
                    packet.destination = line[1], packet.flits = line[2], packet.offered = host.next;
                    ++host.trace_at;
                    host.next = host.trace_at < host.trace_end ? traffic.trace[3 * host.trace_at] : ~(u64)0;
                } else {
                    if (traffic.table) packet.destination = traffic.table[me];
                    else if (traffic.cdf) {
                        const double* cdf = traffic.cdf + (traffic.cdf_rows > 1 ? (size_t)me * s.host_total : 0);
                        do packet.destination = place_of(cdf, s.host_total, host.random.real());
                        while (packet.destination == me);
                    } else {
                        packet.destination = host.random.below(s.host_total - 1);
                        packet.destination += packet.destination >= me;
                    }
                    packet.flits = traffic.length_of[traffic.lengths > 1
                                                         ? place_of(traffic.length_cdf, traffic.lengths, host.random.real())
                                                         : 0];
                    host.next += gap(host, traffic);
                }
                offer(w, slot, host, packet);
                w.busy[port * GROUPS + copy / 64] |= (u64)1 << copy % 64;
            }
            soonest = host.next < soonest ? host.next : soonest;
        }
        w.soonest[port] = soonest;
    }
}

static void inject(Sim& s, Word& w, u64 now) {
    const int chunks = data_chunks(s);
    for (int port = 0; port < s.c.hosts; ++port) {
        const int link = s.c.ports + port;
        u64 valid[16][GROUPS] = {}, head[GROUPS] = {}, tail[GROUPS] = {};
        bool some = false;
        for (int g = 0; g < GROUPS; ++g)
            each(w.busy[port * GROUPS + g], [&](int i) {
                const int copy = 64 * g + i, point = s.c.point_of[w.number * COPIES + copy], slot = w.slot_of[point];
                Host& host = w.hosts[port * COPIES + copy];
                Packet& packet = host.queue.front();
                const u32 me = (w.number * COPIES + copy - s.traffic[point].base) * s.c.hosts + port;
                if (!host.flits) host.channel = packet.destination % s.c.channels_of[link];
                if (!host.credits[host.channel]) return;
                --host.credits[host.channel];
                Counts& counts = *w.counts[slot];
                if (!host.flits) {
                    packet.injected = now;
                    packet.number = host.sent_packets++;
                    host.out.push_back(packet);
                    ++counts.in_flight;
                    if (s.measuring[point]) ++counts.injected_packets;
                }
                if (s.measuring[point]) ++counts.injected_flits;
                for (int chunk = 0; chunk < chunks; ++chunk) {
                    u64 data = payload(me, packet.number, host.flits, chunk) & chunk_mask(s, chunk);
                    if (!chunk && !host.flits)
                        data = (data & ~header_mask(s)) |
                               (s.c.source[me] ^ s.c.destination[packet.destination] ^ s.c.length[packet.flits]);
                    reinterpret_cast<u64*>(&w.sending[(port * chunks + chunk) * 64 + i])[g] = data;
                }
                const u64 bit = (u64)1 << i;
                some = true;
                valid[host.channel][g] |= bit;
                if (!host.flits) head[g] |= bit;
                if (++host.flits == packet.flits) {
                    tail[g] |= bit;
                    host.flits = 0;
                    host.queue.pop();
                    --counts.queued;
                    if (host.queue.empty()) w.busy[port * GROUPS + g] &= ~bit;
                }
            });
        for (int channel = 0; channel < s.c.channels_of[link]; ++channel)
            std::memcpy(&w.row(s.c.rx_valid[link * s.c.channels + channel]), valid[channel], 64);
        if (!some) continue;
        const i32* rows = s.c.rx_flit + link * (s.c.flit + 3);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            Row made[64];
            std::memcpy(made, &w.sending[(port * chunks + chunk) * 64], sizeof made);
            transpose(made);
            for (int k = 0; k < 64 && 64 * chunk + k < s.c.flit; ++k) w.row(rows[64 * chunk + k]) = made[k];
        }
        std::memcpy(&w.row(rows[s.c.flit]), head, 64);
        std::memcpy(&w.row(rows[s.c.flit + 1]), tail, 64);
    }
}

// A packet has arrived whose source is in this word.
static void confirm(Sim& s, Word& w, const Message& message) {
    const int port = message.source / COPIES, copy = message.source % COPIES;
    const int point = s.c.point_of[w.number * COPIES + copy], slot = w.slot_of[point];
    const Traffic& traffic = s.traffic[point];
    const u32 me = (w.number * COPIES + copy - traffic.base) * s.c.hosts + port;
    Host& host = w.hosts[message.source];
    const int chunks = data_chunks(s);
    const auto matches = [&](const Packet& packet) {
        if (packet.destination != message.destination || packet.flits != message.flits) return false;
        u64 digest = 0;
        for (u32 flit = 0; flit < packet.flits; ++flit)
            for (int chunk = 0; chunk < chunks; ++chunk) {
                const u64 data = payload(me, packet.number, flit, chunk) & chunk_mask(s, chunk);
                digest = add(digest, flit || chunk ? data : data & ~header_mask(s));
            }
        return digest == message.digest;
    };
    size_t place = 0, count = host.out.size();
    while (place < count && host.out[place].destination != message.destination) ++place;
    if (place == count) {
        w.fail(UNKNOWN, message.copy % COPIES, message.port, 0, me, message.destination);
        w.error.copy = message.copy;
        return;
    }
    const u64 expected = host.out[place].number;
    bool matched = matches(host.out[place]);
    if (!matched) {
        size_t other = place + 1;
        while (other < count && !matches(host.out[other])) ++other;
        if (other == count || traffic.ordered) {
            w.fail(other == count ? PAYLOAD : ORDER, message.copy % COPIES, message.port, 0, me, message.destination, expected);
            w.error.copy = message.copy, w.error.cycle = message.tail;
            return;
        }
        place = other;
    }
    const Packet packet = host.out[place];
    host.out.erase(host.out.begin() + place);
    Counts& counts = *w.counts[slot];
    --counts.in_flight;
    if (s.measuring[point]) {
        ++counts.delivered_packets;
        w.source_flits[message.source] += packet.flits;
    }
    if (packet.measured) {
        ++counts.measured;
        --counts.missing;
        const u64 times[4] = {message.head - packet.injected, message.tail - packet.injected, message.head - packet.offered,
                              message.tail - packet.offered};
        for (int k = 0; k < 4; ++k) {
            counts.sums[k] += times[k];
            if (times[k] > counts.greatest[k]) counts.greatest[k] = times[k];
            ++counts.histogram[k][times[k] < BINS ? times[k] : BINS - 1];
        }
        ++counts.hops[message.hops < HOPS ? message.hops : HOPS - 1];
    }
    if (traffic.log)
        w.logs[slot].push_back({me, packet.destination, packet.flits, message.hops, packet.offered, packet.injected, message.head,
                                message.tail});
}

static void receive(Sim& s, Word& w, int parity) {
    const long shift = parity ? s.c.flops : 0;
    const int chunks = data_chunks(s);
    for (int port = 0; port < s.c.hosts; ++port) {
        const int link = s.c.ports + port;
        Row valid{};
        for (int channel = 0; channel < s.c.channels_of[link]; ++channel) {
            const int place = link * s.c.channels + channel;
            const Row arrives = w.row(s.c.tx_valid[place] + shift), returns = w.row(s.c.rx_credit[place] + shift) & w.used;
            valid |= arrives;
            w.row(s.c.tx_credit[place]) = arrives;
            for (int g = 0; g < GROUPS; ++g)
                each(returns[g], [&](int i) {
                    if (++w.hosts[port * COPIES + 64 * g + i].credits[channel] > s.c.depth)
                        w.fail(CREDIT, 64 * g + i, link, channel);
                });
        }
        valid &= w.used;
        if (!any(valid)) continue;
        const i32* rows = s.c.tx_flit + link * (s.c.flit + 3);
        std::vector<Row>& data = w.sending;  // The part behind the sources' own is scratch.
        Row* made = &data[(size_t)s.c.hosts * chunks * 64];
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int k = 0; k < 64; ++k)
                made[64 * chunk + k] = 64 * chunk + k < s.c.flit ? w.row(rows[64 * chunk + k] + shift) : Row{};
            transpose(made + 64 * chunk);
        }
        const Row heads = w.row(rows[s.c.flit] + shift), tails = w.row(rows[s.c.flit + 1] + shift),
                  bads = w.row(rows[s.c.flit + 2] + shift);
        for (int g = 0; g < GROUPS; ++g)
            each(valid[g], [&](int i) {
                const int copy = 64 * g + i, point = s.c.point_of[w.number * COPIES + copy], slot = w.slot_of[point];
                const Traffic& traffic = s.traffic[point];
                const u32 me = (w.number * COPIES + copy - traffic.base) * s.c.hosts + port;
                int channel = 0, count = 0;
                for (int c = 0; c < s.c.channels_of[link]; ++c)
                    if (w.row(s.c.tx_valid[link * s.c.channels + c] + shift)[g] >> i & 1) channel = c, ++count;
                Arriving& now = w.arriving[(port * COPIES + copy) * s.c.channels + channel];
                const bool head = heads[g] >> i & 1, tail = tails[g] >> i & 1;
                if (count != 1 || head == now.open || bads[g] >> i & 1) {
                    w.fail(MARKS, copy, link, channel, now.source, me);
                    return;
                }
                if (head) {
                    const u64 header = reinterpret_cast<u64*>(made + i)[g] & header_mask(s);
                    const i32 source = s.c.host_of[header >> s.c.source_shift & (((u64)1 << s.c.source_bits) - 1)];
                    now = {(u32)source, 0, 0, 0, w.now, header, true};
                    if (source < 0) {
                        w.fail(HEADER, copy, link, channel, 0, me);
                        return;
                    }
                }
                for (int chunk = 0; chunk < chunks; ++chunk) {
                    const u64 word = reinterpret_cast<u64*>(made + 64 * chunk + i)[g];
                    now.digest = add(now.digest, now.flits || chunk ? word : word & ~header_mask(s));
                }
                ++now.flits;
                if (s.measuring[point]) {
                    ++w.counts[slot]->delivered_flits;
                    ++w.destination_flits[port * COPIES + copy];
                }
                if (!tail) return;
                now.open = false;
                if (now.flits > (u32)s.c.longest) {
                    w.fail(LENGTH, copy, link, channel, now.source, me);
                    return;
                }
                const u64 base = s.c.source[now.source] ^ s.c.length[now.flits], rest = base ^ now.header;
                u32 hops = 1;
                const u64 left = rest ^ s.c.destination[me];
                while (hops < HOPS && s.c.hop[hops] != left && s.c.hop[HOPS + hops] != left) ++hops;
                if (hops == HOPS) {
                    w.fail(HEADER, copy, link, channel, now.source, me);
                    return;
                }
                const u32 source_copy = traffic.base + now.source / s.c.hosts;
                const Message message{now.source % s.c.hosts * COPIES + source_copy % COPIES, now.flits, hops, me, now.digest,
                                      now.head, w.now, w.number * COPIES + copy, link};
                if ((int)(source_copy / COPIES) == w.number) confirm(s, w, message);
                else w.mail[w.now & 1][source_copy / COPIES].push_back(message);
            });
    }
}

static void read_mail(Sim& s, Word& w, int parity) {
    for (Word& other : s.words) {
        auto& letters = other.mail[parity][w.number];
        for (const Message& message : letters) confirm(s, w, message);
        letters.clear();
    }
}

// The cycle.

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
    if (s.joined) read_mail(s, w, parity ^ 1);
    carry(s, w, parity);
    s.c.step(w.rows, parity);
    observe(s, w, parity);
    receive(s, w, parity);
    if (++w.link_cycles == (1 << PLANES) - 1) flush_links(s, w);
    generate(s, w, w.now + 1);
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
    s.host_total = s.c.switches * s.c.hosts;
    while (1 << s.planes <= s.c.depth) ++s.planes;
    for (int port = 0; port < s.c.ports; ++port) {
        std::vector<int> outs, ins;
        for (int k = 0; k < s.c.channels_of[port]; ++k) {
            outs.push_back(s.c.tx_valid[port * s.c.channels + k]), ins.push_back(s.c.rx_valid[port * s.c.channels + k]);
            outs.push_back(s.c.rx_credit[port * s.c.channels + k]), ins.push_back(s.c.tx_credit[port * s.c.channels + k]);
        }
        for (int k = 0; k < s.c.flit + 3; ++k)
            outs.push_back(s.c.tx_flit[port * (s.c.flit + 3) + k]), ins.push_back(s.c.rx_flit[port * (s.c.flit + 3) + k]);
        s.wires = (int)outs.size() > s.wires ? outs.size() : s.wires;
        s.outs.push_back(outs), s.ins.push_back(ins);
    }
    s.chunks = (s.wires + 63) / 64;
    const int copies = s.c.words * COPIES, all = s.c.ports + s.c.hosts;
    int longest = 0;
    for (long k = 0; k < (long)copies * s.c.ports; ++k)
        if (s.c.from_copy[k] >= 0 && s.c.delay[k] > longest) longest = s.c.delay[k];
    // One more than are read, for the outputs of the next cycle.
    s.delayed = longest > 0, s.slots = longest + 2;
    s.words = std::vector<Word>(s.c.words);
    for (int number = 0; number < s.c.words; ++number) {
        Word& w = s.words[number];
        w.sim = &s, w.number = number, w.rows = s.c.rows[number];
        w.cables.resize(s.c.ports);
        for (int port = 0; port < s.c.ports; ++port)
            for (int lane = 0; lane < COPIES; ++lane) {
                const long k = ((long)number * COPIES + lane) * s.c.ports + port;
                if (s.c.from_copy[k] < 0) continue;
                const int word = s.c.from_copy[k] / COPIES, from = s.c.from_copy[k] % COPIES;
                const int delay = s.delayed ? s.c.delay[k] : -1;
                s.joined |= word != number;
                Segment* found = nullptr;
                for (Segment& one : w.cables[port])
                    if (one.group == lane / 64 && one.word == word && one.port == s.c.from_port[k] && one.delay == delay) found = &one;
                if (!found) {
                    w.cables[port].emplace_back();
                    found = &w.cables[port].back();
                    *found = {lane / 64, word, s.c.from_port[k], delay, 0, {}, {}, {}};
                    for (auto& each_lane : found->lane) each_lane = -1;
                }
                found->byte[lane % 64] = from / 8;
                found->bit[lane % 64] = 1 << from % 8;
                found->lane[lane % 64] = from;
            }
        if (s.delayed) w.history.resize((size_t)s.slots * s.c.ports * s.wires);
#if !VBMI
        w.lanes.resize((size_t)s.slots * s.c.ports * s.chunks * 64);
#endif
        w.hosts.resize(s.c.hosts * COPIES);
        w.arriving.resize((size_t)s.c.hosts * COPIES * s.c.channels);
        w.busy.resize(s.c.hosts * GROUPS);
        w.soonest.resize(s.c.hosts);
        w.sending.resize((size_t)(s.c.hosts + 1) * data_chunks(s) * 64);
        w.filled.resize((size_t)all * s.c.channels * (PLANES + 1));
        w.link_planes.resize(s.c.ports * PLANES);
        w.link_flits.resize(s.c.ports * COPIES);
        w.source_flits.resize(s.c.hosts * COPIES);
        w.destination_flits.resize(s.c.hosts * COPIES);
        for (auto& side : w.mail) side.resize(s.c.words);
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
                host.credits.assign(s.c.channels, s.c.depth);
                if (one.trace) {
                    host.trace_at = one.trace_first[me], host.trace_end = one.trace_first[me + 1];
                    if (host.trace_at < host.trace_end) host.next = one.trace[3 * host.trace_at];
                }
            }
        }
        w.fill.resize(w.points.size() * all * s.c.channels);
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
        std::fill_n(w.fill.begin() + (size_t)slot * all * s->c.channels, all * s->c.channels, 0);
        for (int lane = 0; lane < COPIES; ++lane) {
            if (s->c.point_of[w.number * COPIES + lane] != point) continue;
            for (int port = 0; port < s->c.ports; ++port) w.link_flits[port * COPIES + lane] = 0;
            for (int port = 0; port < s->c.hosts; ++port) {
                w.source_flits[port * COPIES + lane] = w.destination_flits[port * COPIES + lane] = 0;
                Host& host = w.hosts[port * COPIES + lane];
                for (size_t k = host.queue.first; k < host.queue.items.size(); ++k) host.queue.items[k].measured = false;
                for (Packet& packet : host.out) packet.measured = false;
            }
        }
    }
    s->measuring[point] = measuring;
}

// Runs; returns 1 if a word has noticed an error.
int sim_run(Sim* s, u64 cycles) {
    if (!s->cycle)
        for (Word& w : s->words) {
            generate(*s, w, 0);
            inject(*s, w, 0);
            spread(*s, w, 0, 0);
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
            const size_t samples = offsetof(Counts, fill_samples) / 8;
            if ((k >= greatest && k < greatest + 4) || k == moved || k == samples) to[k] = from[k] > to[k] ? from[k] : to[k];
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
                        used && port >= s->c.ports && w.hosts[(port - s->c.ports) * COPIES + lane].credits[channel] != s->c.depth;
                    if ((left[lane / 64] >> lane % 64 & 1) || missing) {
                        *error = {missing ? CREDIT : OVERFLOW_, w.number * COPIES + lane, port, channel, s->cycle, 0, 0, 0};
                        return 0;
                    }
                }
            }
    return 1;
}
}
