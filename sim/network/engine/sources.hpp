// Sources: they offer packets, keep them in a queue, and send their flits.
#pragma once
#include "state.hpp"

static int data_chunks(const Sim& s) { return (s.c.flit + 63) / 64; }

// A word of the payload of a trace. Apart, so that payloads that are made stay fast.
__attribute__((noinline, cold)) static u64 given(const Sim& s, const Traffic& traffic, u64 source, u64 number, u32 flit, int chunk) {
    return traffic.data[((traffic.trace_first[source] + number) * s.c.longest + flit) * data_chunks(s) + chunk];
}

static u64 payload(const Sim& s, const Traffic& traffic, u64 source, u64 number, u32 flit, int chunk) {
    if (__builtin_expect(traffic.data != nullptr, 0)) return given(s, traffic, source, number, flit, chunk);
    return mix(mix(source << 40 ^ number) + flit * 0x100000001b3u + (u64)chunk * 0xd6e8feb86659fd93u);
}
// With the mark of replies of a closed loop, which is the highest bit of the first word of a packet.
static u64 marked_payload(const Sim& s, const Traffic& traffic, u64 source, const Packet& packet, u32 flit, int chunk) {
    const u64 data = payload(s, traffic, source, packet.number, flit, chunk);
    if (__builtin_expect(!traffic.outstanding || flit || chunk, 1)) return data;
    const u64 mark = (u64)1 << (s.c.flit < 64 ? s.c.flit - 1 : 63);
    return packet.reply ? data | mark : data & ~mark;
}
static u64 add(u64 digest, u64 data) { return (digest ^ data) * 0x9e3779b97f4a7c15u + 1; }

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

static NetworkCounts& network_counts(const Sim& s, Word& w, int slot, int network) {
    return w.networks[(size_t)slot * s.c.virtual_networks + network];
}

// A packet enters a queue. Replies are queued since their requests have arrived.
static void offer(const Sim& s, Word& w, int slot, Host& host, const Packet& packet) {
    Counts& counts = *w.counts[slot];
    host.senders[packet.reply ? host.senders.size() - 1 : packet.network].queue.push(packet);
    counts.queued += !packet.reply;
    if (!packet.measured) return;
    NetworkCounts& own = network_counts(s, w, slot, packet.network);
    ++counts.offered_packets, ++own.offered_packets;
    counts.offered_flits += packet.flits, own.offered_flits += packet.flits;
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
                if (traffic.outstanding && host.outstanding == traffic.outstanding) {
                    host.next = now + 1;
                    break;
                }
                host.outstanding += traffic.outstanding > 0;
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
                if (s.c.virtual_networks > 1 && !traffic.outstanding)
                    packet.network = place_of(traffic.shares, s.c.virtual_networks, host.random.real());
                offer(s, w, slot, host, packet);
                w.busy[port * GROUPS + copy / 64] |= (u64)1 << copy % 64;
            }
            soonest = host.next < soonest ? host.next : soonest;
        }
        w.soonest[port] = soonest;
    }
}

// The sender of a host that sends a flit now, or none. They take turns by packets; one that has no credit holds up no other.
static Sender* chosen(const Sim& s, Host& host) {
    const u32 count = host.senders.size();
    for (u32 step = 0; step < count; ++step) {
        const u32 number = host.turn + step < count ? host.turn + step : host.turn + step - count;
        Sender& one = host.senders[number];
        if (one.queue.empty()) continue;
        if (!one.flits) {
            const Packet& packet = one.queue.front();
            const i32 first = s.c.network_first[packet.network], behind = s.c.network_first[packet.network + 1];
            one.channel = first + packet.destination % (behind - first);
            bool taken = false;
            for (Sender& other : host.senders) taken |= &other != &one && other.flits && other.channel == one.channel;
            if (taken) continue;
        }
        if (!host.credits[one.channel]) continue;
        host.turn = number;
        return &one;
    }
    return nullptr;
}

static void inject(Sim& s, Word& w, u64 now) {
    const int chunks = data_chunks(s);
    for (int port = 0; port < s.c.hosts; ++port) {
        const int link = s.c.ports + port;
        u64 valid[MOST_CHANNELS][GROUPS], head[GROUPS] = {}, tail[GROUPS] = {};
        std::memset(valid, 0, s.c.channels_of[link] * sizeof *valid);
        bool some = false;
        for (int g = 0; g < GROUPS; ++g)
            each(w.busy[port * GROUPS + g], [&](int i) {
                const int copy = 64 * g + i, point = s.c.point_of[w.number * COPIES + copy], slot = w.slot_of[point];
                Host& host = w.hosts[port * COPIES + copy];
                const Traffic& traffic = s.traffic[point];
                Sender* sender = chosen(s, host);
                if (!sender) return;
                Packet& packet = sender->queue.front();
                const u32 me = (w.number * COPIES + copy - traffic.base) * s.c.hosts + port;
                --host.credits[sender->channel];
                Counts& counts = *w.counts[slot];
                if (!sender->flits) {
                    packet.injected = now;
                    packet.number = host.sent_packets++;
                    if (traffic.layers)
                        packet.layer = traffic.layers[(size_t)(me / s.c.hosts) * s.c.switches + packet.destination / s.c.hosts];
                    host.out.push_back(packet);
                    ++counts.in_flight;
                    if (s.measuring[point]) ++counts.injected_packets;
                }
                if (s.measuring[point]) ++counts.injected_flits;
                counts.last_move = now;
                for (int chunk = 0; chunk < chunks; ++chunk) {
                    u64 data = marked_payload(s, traffic, me, packet, sender->flits, chunk) & chunk_mask(s, chunk);
                    if (!chunk && !sender->flits)
                        data = (data & ~header_mask(s)) | (s.c.source[me] ^ s.c.destination[packet.destination] ^
                                                           s.c.length[packet.flits] ^ s.c.layer[packet.layer] ^
                                                           s.c.virtual_network[packet.network]);
                    reinterpret_cast<u64*>(&w.sending[(port * chunks + chunk) * 64 + i])[g] = data;
                }
                const u64 bit = (u64)1 << i;
                some = true;
                valid[sender->channel][g] |= bit;
                if (!sender->flits) head[g] |= bit;
                if (++sender->flits == packet.flits) {
                    tail[g] |= bit;
                    sender->flits = 0;
                    host.replies -= packet.reply;
                    sender->queue.pop();
                    --counts.queued;
                    host.turn = sender - host.senders.data() + 1 == (long)host.senders.size() ? 0 : sender - host.senders.data() + 1;
                    bool empty = true;
                    for (const Sender& other : host.senders) empty &= other.queue.empty();
                    if (empty) w.busy[port * GROUPS + g] &= ~bit;
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
