// Counters of flits in buffers and on links, with the checks that buffers do not overflow and cores report no events.
#pragma once
#include "sinks.hpp"
#include "waits.hpp"

// The first words of flits at all inputs, for the packets that the cores drop. Their events come latency + 1 cycles later.
static int head_bits(const Sim& s) { return s.c.flit < 64 ? s.c.flit : 64; }

static void keep_heads(Sim& s, Word& w) {
    const int all = s.c.ports + s.c.hosts, bits = head_bits(s);
    Row* to = &w.heads[w.now % (s.c.latency + 1) * all * bits];
    for (int port = 0; port < all; ++port)
        for (int k = 0; k < bits; ++k) *to++ = w.row(s.c.rx_flit[port * (s.c.flit + 3) + k]);
}

static u64 old_head(Sim& s, Word& w, int port, int copy) {
    const int all = s.c.ports + s.c.hosts, bits = head_bits(s);
    const Row* from = &w.heads[(w.now % (s.c.latency + 1) * all + port) * bits];
    u64 found = 0;
    for (int k = 0; k < bits; ++k) found |= (from[k][copy / 64] >> copy % 64 & 1) << k;
    return found;
}

// An output that reports an event; ~row is that of an output that must be 1.
static Row event_of(Sim& s, Word& w, int k, long shift) {
    const i32 row = s.c.event_rows[k];
    return row < 0 ? ~w.row(~row + shift) : w.row(row + shift);
}

static void observe(Sim& s, Word& w, int parity) {
    const long shift = parity ? s.c.flops : 0;
    const int all = s.c.ports + s.c.hosts;
    Row moved{};
    for (int port = 0; port < all; ++port) {
        Row leaves{};
        for (int channel = 0; channel < s.c.channels_of[port]; ++channel) {
            const int place = port * s.c.channels + channel;
            const Row up = w.row(s.c.rx_valid[place]), down = w.row(s.c.rx_credit[place] + shift);
            moved |= up;
            w.sent[place] |= down;
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
                const Row most = Row{} - (u64)(s.c.most[port] >> bit & 1);
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
        for (int k = port * s.c.link_channels; k < (port + 1) * s.c.link_channels && s.c.leaves[k] >= 0; ++k)
            leaves |= w.row(s.c.leaves[k] + shift);
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
    for (int k = 0; k < s.c.events; ++k) events |= event_of(s, w, k, shift);
    if (any(events & w.used))
        for (int k = 0; k < s.c.events; ++k) {
            const Row event = event_of(s, w, k, shift) & w.used;
            for (int g = 0; g < GROUPS; ++g)
                each(event[g], [&](int i) {
                    const int copy = 64 * g + i, cause = s.c.event_cause[k];
                    if (!s.lossy || cause < 0 || !s.traffic[s.c.point_of[w.number * COPIES + copy]].lossy)
                        w.fail(EVENT, copy, k, 0);
                    else lose(s, w, copy, s.c.event_port[k], cause, old_head(s, w, s.c.event_port[k], copy));
                });
        }
    if (s.lossy) keep_heads(s, w);
    if (w.now % SAMPLE) return;
    for (int place = 0; place < all * s.c.channels; ++place) {
        Row holds{};
        for (int bit = 0; bit < s.planes; ++bit) holds |= w.filled[place * (PLANES + 1) + bit];
        end_sample(s, w, place, holds & w.used);
    }
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
