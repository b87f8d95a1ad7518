// Errors on links between switches: the flit is marked as a fabric port marks it.
//
// A head with an error is dropped, with the rest of its packet. Another flit becomes a tail that is marked bad, and the rest of its
// packet is dropped. The link returns the credits of flits that it drops.
#pragma once
#include "sinks.hpp"

static bool at_input(const Word& w, const Row& row, int lane) { return row[lane / 64] >> lane % 64 & 1; }

static void later(Sim& s, Word& w, int port, int lane, double errors, u64 from) {
    Random& random = w.fault_random[port * COPIES + lane];
    w.faults.push_back({from + random.geometric(std::log1p(-errors)) - 1, port * COPIES + lane});
    std::push_heap(w.faults.begin(), w.faults.end(), std::greater<>());
}

static void start_errors(Sim& s, Word& w) {
    w.fault_random.resize(s.c.ports * COPIES);
    for (int port = 0; port < s.c.ports; ++port)
        for (int lane = 0; lane < COPIES; ++lane) {
            const long copy = (long)w.number * COPIES + lane;
            const int point = s.c.point_of[copy];
            if (point < 0 || s.c.from_copy[copy * s.c.ports + port] < 0 || s.traffic[point].errors <= 0) continue;
            const Traffic& traffic = s.traffic[point];
            w.fault_random[port * COPIES + lane].state = mix(mix(~traffic.seed) + (copy - traffic.base) * s.c.ports + port);
            later(s, w, port, lane, traffic.errors, 0);
        }
}

// Drops the flit at an input, and returns its credit as a receiver does that takes it from its buffer at once.
static void drop(Sim& s, Word& w, int port, int lane, int channel) {
    Row& valid = w.row(s.c.rx_valid[port * s.c.channels + channel]);
    valid[lane / 64] &= ~((u64)1 << lane % 64);
    const long place = ((long)w.number * COPIES + lane) * s.c.ports + port;
    const Return credit{w.now + 2 + s.c.delay[place], s.c.from_port[place], s.c.from_copy[place] % COPIES, channel};
    const int word = s.c.from_copy[place] / COPIES;
    if (word == w.number) w.due.push_back(credit);
    else w.returns[w.now & 1][word].push_back(credit);
}

static void read_returns(Sim& s, Word& w, int parity) {
    for (Word& other : s.words) {
        auto& credits = other.returns[parity][w.number];
        w.due.insert(w.due.end(), credits.begin(), credits.end());
        credits.clear();
    }
}

__attribute__((noinline)) static void disturb(Sim& s, Word& w) {
    for (size_t k = 0; k < w.due.size();) {
        const Return& one = w.due[k];
        Row& credit = w.row(s.c.tx_credit[one.port * s.c.channels + one.channel]);
        // The receiver itself may return one in this cycle.
        if (one.due > w.now || at_input(w, credit, one.lane)) {
            ++k;
            continue;
        }
        credit[one.lane / 64] |= (u64)1 << one.lane % 64;
        w.due[k] = w.due.back();
        w.due.pop_back();
    }
    const auto mark = [&](int port, int which) -> Row& { return w.row(s.c.rx_flit[port * (s.c.flit + 3) + s.c.flit + which]); };
    for (size_t k = 0; k < w.broken.size();) {
        const Broken one = w.broken[k++];
        if (!at_input(w, w.row(s.c.rx_valid[one.port * s.c.channels + one.channel]), one.lane)) continue;
        drop(s, w, one.port, one.lane, one.channel);
        if (!at_input(w, mark(one.port, 1), one.lane)) continue;
        w.broken[--k] = w.broken.back();
        w.broken.pop_back();
    }
    while (!w.faults.empty() && w.faults.front().first <= w.now) {
        std::pop_heap(w.faults.begin(), w.faults.end(), std::greater<>());
        const int port = w.faults.back().second / COPIES, lane = w.faults.back().second % COPIES;
        w.faults.pop_back();
        later(s, w, port, lane, s.traffic[s.c.point_of[w.number * COPIES + lane]].errors, w.now + 1);
        const u64 bit = (u64)1 << lane % 64;
        for (int channel = 0; channel < s.c.channels_of[port]; ++channel) {
            if (!at_input(w, w.row(s.c.rx_valid[port * s.c.channels + channel]), lane)) continue;
            const bool tail = at_input(w, mark(port, 1), lane);
            if (at_input(w, mark(port, 0), lane)) {
                u64 first = 0;
                for (int k = 0; k < s.c.flit && k < 64; ++k)
                    first |= (u64)at_input(w, w.row(s.c.rx_flit[port * (s.c.flit + 3) + k]), lane) << k;
                lose(s, w, lane, port, 0, first);
                drop(s, w, port, lane, channel);
            } else {
                mark(port, 1)[lane / 64] |= bit;
                mark(port, 2)[lane / 64] |= bit;
            }
            if (!tail) w.broken.push_back({port, lane, channel});
        }
    }
}
