// Cables: they carry outputs of cores to inputs of others, at once or some cycles later.
#pragma once
#include "state.hpp"

// Rows of the wires of every port, and the cycles that the outputs are kept.
static void find_wires(Sim& s) {
    for (int port = 0; port < s.c.ports; ++port) {
        std::vector<int> outs, ins;
        for (int k = port * s.c.wires; k < (port + 1) * s.c.wires && s.c.outs[k] >= 0; ++k)
            outs.push_back(s.c.outs[k]), ins.push_back(s.c.ins[k]);
        s.wires = (int)outs.size() > s.wires ? outs.size() : s.wires;
        s.outs.push_back(outs), s.ins.push_back(ins);
    }
    s.chunks = (s.wires + 63) / 64;
    const int copies = s.c.words * COPIES;
    int longest = 0;
    for (long k = 0; k < (long)copies * s.c.ports; ++k)
        if (s.c.from_copy[k] >= 0 && s.c.delay[k] > longest) longest = s.c.delay[k];
    // One more than are read, for the outputs of the next cycle.
    s.delayed = longest > 0, s.slots = longest + 2;
}

static void place_cables(Sim& s, Word& w) {
    const int number = w.number;
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
}

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
