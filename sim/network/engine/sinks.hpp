// Sinks: every packet that arrives is checked and counted.
#pragma once
#include "closed.hpp"

// A packet has arrived whose source is in this word.
static void confirm(Sim& s, Word& w, const Message& message) {
    const int port = message.source / COPIES, copy = message.source % COPIES;
    const int point = s.c.point_of[w.number * COPIES + copy], slot = w.slot_of[point];
    const Traffic& traffic = s.traffic[point];
    const u32 me = (w.number * COPIES + copy - traffic.base) * s.c.hosts + port;
    Host& host = w.hosts[message.source];
    const int chunks = data_chunks(s);
    const auto same = [&](const Packet& packet) {
        return packet.destination == message.destination && (packet.network == message.network || message.kind == LOST);
    };
    const auto matches = [&](const Packet& packet) {
        if (!same(packet)) return false;
        if (__builtin_expect(message.kind == LOST, 0)) {
            const u64 mask = chunk_mask(s, 0) & ~header_mask(s);
            return (marked_payload(s, traffic, me, packet, 0, 0) & mask) == (message.digest & mask);
        }
        if (message.kind == ARRIVED ? packet.flits != message.flits || packet.layer != message.layer : packet.flits < message.flits)
            return false;
        u64 digest = 0;
        for (u32 flit = 0; flit < message.flits; ++flit)
            for (int chunk = 0; chunk < chunks; ++chunk) {
                const u64 data = marked_payload(s, traffic, me, packet, flit, chunk) & chunk_mask(s, chunk);
                digest = add(digest, flit || chunk ? data : data & ~header_mask(s));
            }
        return digest == message.digest;
    };
    size_t place = 0, count = host.out.size();
    while (place < count && !same(host.out[place])) ++place;
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
        if (other == count || ((traffic.ordered == 1 || (traffic.ordered == 2 && message.layer)) && message.kind != LOST)) {
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
    if (packet.measured) --counts.missing;
    if (__builtin_expect(message.kind != ARRIVED || message.cause != NOT_LOST, 0)) {
        if (packet.measured) ++(message.cause == NOT_LOST ? counts.marked : counts.lost[message.cause]);
        if (s.measuring[point] && message.cause != NOT_LOST) counts.lost_flits += packet.flits;
        return;
    }
    NetworkCounts& own = network_counts(s, w, slot, packet.network);
    if (s.measuring[point]) {
        ++counts.delivered_packets, ++own.delivered_packets;
        w.source_flits[message.source] += packet.flits;
    }
    if (packet.measured) {
        ++counts.measured, ++own.measured;
        const u64 times[4] = {message.head - packet.injected, message.tail - packet.injected, message.head - packet.offered,
                              message.tail - packet.offered};
        for (int k = 0; k < 4; ++k) {
            counts.sums[k] += times[k];
            if (times[k] > counts.greatest[k]) counts.greatest[k] = times[k];
            ++counts.histogram[k][times[k] < BINS ? times[k] : BINS - 1];
            if (s.c.virtual_networks == 1) continue;
            own.sums[k] += times[k];
            if (times[k] > own.greatest[k]) own.greatest[k] = times[k];
            ++own.histogram[k][times[k] < BINS ? times[k] : BINS - 1];
        }
        ++counts.hops[message.hops < HOPS ? message.hops : HOPS - 1];
    }
    if (traffic.log)
        w.logs[slot].push_back({me, packet.destination, packet.flits, message.hops, packet.offered, packet.injected, message.head,
                                message.tail, packet.number});
}

static inline __attribute__((always_inline)) void post(Sim& s, Word& w, u32 source, const Traffic& traffic, Message message) {
    const u32 copy = traffic.base + source / s.c.hosts;
    message.source = source % s.c.hosts * COPIES + copy % COPIES;
    if ((int)(copy / COPIES) == w.number) confirm(s, w, message);
    else w.mail[w.now & 1][copy / COPIES].push_back(message);
}

// A packet is lost whose head, with the first word ``first``, is at a port of a copy.
__attribute__((noinline, cold)) static void lose(Sim& s, Word& w, int copy, int port, int cause, u64 first) {
    const Traffic& traffic = s.traffic[s.c.point_of[w.number * COPIES + copy]];
    const u64 mask = ((u64)1 << s.c.source_bits) - 1;
    const i32 source = s.c.host_of[first >> s.c.source_shift & mask], to = s.c.host_of[first >> s.c.destination_shift & mask];
    if (source < 0 || to < 0) {
        w.fail(HEADER, copy, port, 0, source < 0 ? 0 : source, to < 0 ? 0 : to);
        return;
    }
    post(s, w, source, traffic, {0, 0, 0, (u32)to, first, w.now, w.now, w.number * COPIES + copy, port, 0, LOST, cause, 0});
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
                    if (++w.hosts[port * COPIES + 64 * g + i].credits[channel] > s.c.host_credits[port])
                        w.fail(CREDIT, 64 * g + i, link, channel);
                });
        }
        valid &= w.used;
        const bool holds = any(w.holds[port]);
        if (!any(valid)) {
            if (holds) take_flits(s, w, port);
            continue;
        }
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
                int network = 0;
                while (channel >= s.c.network_first[network + 1]) ++network;
                Arriving& now = w.arriving[(port * COPIES + copy) * s.c.channels + channel];
                const bool head = heads[g] >> i & 1, tail = tails[g] >> i & 1;
                const bool bad = bads[g] >> i & 1;
                if (count != 1 || head == now.open || (bad && (!tail || traffic.errors <= 0))) {
                    w.fail(MARKS, copy, link, channel, now.source, me);
                    return;
                }
                if (head) {
                    const u64 header = reinterpret_cast<u64*>(made + i)[g] & header_mask(s);
                    const i32 source = s.c.host_of[header >> s.c.source_shift & (((u64)1 << s.c.source_bits) - 1)];
                    const u64 mark = (u64)1 << (s.c.flit < 64 ? s.c.flit - 1 : 63);
                    const bool is_reply = traffic.outstanding && reinterpret_cast<u64*>(made + i)[g] & mark;
                    now = {(u32)source, 0, 0, w.now, header, true, is_reply};
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
                const bool stranded = s.c.undeliverable_bit >= 0 && now.header >> s.c.undeliverable_bit & 1;
                if (s.measuring[point] && !stranded) {
                    ++w.counts[slot]->delivered_flits, ++network_counts(s, w, slot, network).delivered_flits;
                    ++w.destination_flits[port * COPIES + copy];
                }
                if (w.holds[port][g] >> i & 1)
                    store(traffic, w.hosts[port * COPIES + copy], *w.counts[slot], channel, now, head, tail);
                if (!tail) return;
                now.open = false;
                if (now.flits > (u32)s.c.longest) {
                    w.fail(LENGTH, copy, link, channel, now.source, me);
                    return;
                }
                u32 to = me;
                if (__builtin_expect(stranded, 0)) {
                    // A switch gives host 0 what it cannot deliver.
                    const i32 host = s.c.host_of[now.header >> s.c.destination_shift & (((u64)1 << s.c.source_bits) - 1)];
                    if (host < 0 || port || !traffic.lossy) {
                        w.fail(host < 0 ? HEADER : STRANDED, copy, link, channel, now.source, host < 0 ? me : host);
                        return;
                    }
                    to = host;
                }
                Message message{0, now.flits, 0, to, now.digest, now.head, w.now, w.number * COPIES + copy, link, 0, ARRIVED,
                                stranded ? UNDELIVERABLE : NOT_LOST, network};
                if (__builtin_expect(bad, 0)) {
                    message.kind = MARKED;
                    post(s, w, now.source, traffic, message);
                    return;
                }
                u64 rest = s.c.source[now.source] ^ s.c.length[now.flits] ^ s.c.virtual_network[network] ^ now.header;
                if (s.c.layer_bits) {
                    message.layer = now.header >> s.c.layer_shift & (((u64)1 << s.c.layer_bits) - 1);
                    rest ^= s.c.layer[message.layer];
                }
                rest ^= s.c.age[now.header >> s.c.age_shift & (((u64)1 << s.c.age_bits) - 1)];
                u32 hops = 1;
                const u64 left = rest ^ s.c.destination[to] ^ (stranded ? *s.c.undeliverable : 0);
                while (hops < HOPS && s.c.hop[hops] != left && s.c.hop[HOPS + hops] != left) ++hops;
                if (hops == HOPS) {
                    w.fail(HEADER, copy, link, channel, now.source, me);
                    return;
                }
                message.hops = hops;
                post(s, w, now.source, traffic, message);
            });
        if (holds) take_flits(s, w, port);
    }
}

static void read_mail(Sim& s, Word& w, int parity) {
    for (Word& other : s.words) {
        auto& letters = other.mail[parity][w.number];
        for (const Message& message : letters) confirm(s, w, message);
        letters.clear();
    }
}
