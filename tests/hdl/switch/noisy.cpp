// Switches of a network in one module, with hosts that send and judge packets, and lines with wrong bits.
// The test that includes this file defines FLIT, the bits of a flit, and the arrays HOSTS, LINES, COUNTERS and EVENTS.
//
// Each line of standard input is a run, in decimal: SEED PACKETS BER STALL FIRST LAST GAP BUSY NOISE APART.
// Without LAST, hosts send PACKETS packets in all to each other, and each line has wrong bits at the rate BER, at most two in a
// codeword. STALL is the part of cycles in which a host neither sends nor takes. With LAST, the first host sends packets to the
// first one of the other switch, and the codeword of every second head has wrong bits: those of pattern FIRST, then of the next, up
// to LAST. APART is the least number of cycles between two such heads; with as many as a replay takes, it comes through. A pattern is
// one bit, or two. Up to GAP cycles are between packets; with BUSY, the second host of that switch sends to the same host all the
// time; with the probability NOISE, a codeword beside that of a head has two wrong bits.
// The answer is the number of packets sent, arrived, arrived bad, and the sums of COUNTERS and EVENTS. A packet that arrives
// changed, twice, out of order or at the wrong host, and a flit that never leaves, end the program with status 1.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <random>
#include <vector>

static const int CODE = 270, UP = 4, QUIET = 600;
static std::mt19937_64 generator;

static bool chance(double part) { return part && std::uniform_real_distribution<>()(generator) < part; }
static int below(int bound) { return std::uniform_int_distribution<>(0, bound - 1)(generator); }

static void fail(const std::string& what) {
    std::cout << "error " << what << std::endl;
    std::exit(1);
}

struct Packet {
    int source, sink, length;
    bool arrived;
};
static std::vector<Packet> packets;

static uint64_t body(uint64_t number, int place) {
    uint64_t x = (number * 8 + place + 1) * 0x9E3779B97F4A7C15ull;
    return (x ^ x >> 29) & ((1ull << FLIT) - 1);
}

static uint64_t word_of(size_t number, int place) {
    const Packet& packet = packets[number];
    uint64_t data = place ? body(number, place) : HEADERS[packet.source][packet.sink][packet.length] | number << HEADER;
    return data | uint64_t(!place) << FLIT | uint64_t(place == packet.length - 1) << (FLIT + 1);
}

static int bit(const uint32_t* bits, int place) { return place < 0 ? 0 : bits[place / 32] >> place % 32 & 1; }

struct Line {
    const uint32_t* word;
    uint32_t* flip;
    uint32_t before[9] = {}, now[9] = {};
    double ber = 0;

    void clear() { for (int n = 0; n < 9; ++n) flip[n] = 0; }
    void invert(int place) { flip[place / 32] ^= 1u << place % 32; }
    void noise() {
        std::binomial_distribution<int> count(CODE, ber);
        for (int n = std::min(count(generator), 2); n; --n) invert(below(CODE));
    }
    void spoil() { int a = below(CODE), b = below(CODE - 1); invert(a); invert(b + (b >= a)); }
    // Bit of the body that leaves the descrambler of a line without wrong bits.
    int plain(int place) {
        int sum = 0;
        for (int tap : {0, 39, 58}) sum ^= place < tap ? bit(before, 260 + place - tap) : bit(now, 4 + place - tap);
        return sum;
    }
    void follow() {
        for (int n = 0; n < 9; ++n) { before[n] = now[n]; now[n] = word[n]; }
    }
    bool is_head() { return (now[0] & 15) == 5 && !plain(16) && plain(17) && !plain(18); }
};

struct Host {
    std::function<uint64_t()> credit, valid, flit;
    std::function<void(uint64_t)> put_valid, put_flit, put_credit;
    int number;
    long credits = DEPTH, held = 0, wait = 0;
    std::deque<uint64_t> queue, packet;
    std::vector<long> newest = std::vector<long>(64, -1);
    size_t good = 0, bad = 0;

    void add(int sink, int length) {
        packets.push_back({number, sink, length, false});
        for (int n = 0; n < length; ++n) queue.push_back(word_of(packets.size() - 1, n));
    }
    void take(uint64_t word) {
        ++held;
        bool head = word >> FLIT & 1, tail = word >> (FLIT + 1) & 1, is_bad = word >> (FLIT + 2);
        if (head != packet.empty()) fail("a head in a packet, or a flit of no packet");
        packet.push_back(word);
        if (!tail) return;
        if (is_bad) ++bad;
        else {
            size_t serial = (packet[0] & ((1ull << FLIT) - 1)) >> HEADER;
            if (serial >= packets.size()) fail("a packet that nobody sent");
            Packet& sent = packets[serial];
            if (sent.sink != number) fail("a packet at the wrong host");
            if (size_t(sent.length) != packet.size()) fail("a packet of another length");
            for (int n = 1; n < sent.length; ++n)
                if (packet[n] != word_of(serial, n)) fail("a changed packet");
            if (sent.arrived) fail("a packet that arrives twice");
            if (long(serial) < newest[sent.source]) fail("a packet out of order");
            newest[sent.source] = serial;
            sent.arrived = true;
            ++good;
        }
        packet.clear();
    }
    void step(double stall, int gap) {
        credits += credit();
        if (valid()) take(flit());
        bool sends = !queue.empty() && credits && !wait && !chance(stall), returns = held && !chance(stall);
        put_valid(sends);
        if (sends) {
            uint64_t word = queue.front();
            put_flit(word);
            queue.pop_front();
            --credits;
            if (gap && word >> (FLIT + 1) & 1) wait = below(gap + 1) + 1;
        }
        if (wait) --wait;
        put_credit(returns);
        held -= returns;
    }
    bool idle() const { return queue.empty() && !held && credits == DEPTH && packet.empty(); }
};

static Vtop top;

template <class T> static std::function<void(uint64_t)> putter(T& pin) { return [&pin](uint64_t value) { pin = value; }; }
template <class T> static std::function<uint64_t()> getter(T& pin) { return [&pin] { return uint64_t(pin); }; }
#define HOST(name) \
    {getter(top.name##_rx_credit), getter(top.name##_tx_valid), getter(top.name##_tx_flit), \
     putter(top.name##_rx_valid), putter(top.name##_rx_flit), putter(top.name##_tx_credit)}
#define LINE(name) {top.name##_line.data(), top.name##_line_flip.data()}
#include "parts.inc"

static uint64_t field(const uint32_t* bits, int low, int width) {
    uint64_t value = 0;
    for (int n = 0; n < width; ++n) value |= uint64_t(bit(bits, low + n)) << n;
    return value;
}

static void edge() {
    top.clk = 1;
    top.eval();
    top.clk = 0;
    top.eval();
}

int main() {
    unsigned long seed, count;
    double ber, stall, noise;
    long first, last;
    int gap, busy, apart;
    while (std::cin >> seed >> count >> ber >> stall >> first >> last >> gap >> busy >> noise >> apart) {
        generator.seed(seed);
        packets.clear();
        auto hosts = HOSTS;
        auto lines = LINES;
        for (size_t n = 0; n < hosts.size(); ++n) hosts[n].number = n;
        for (auto& line : lines) { line.clear(); line.ber = ber; }
        straps();
        top.rst = 1;
        for (int n = 0; n < 4; ++n) edge();
        top.rst = 0;
        const auto up = [&] {
            for (auto status : STATUS)
                if ((status[0] & 7) != UP) return false;
            return true;
        };
        for (int n = 0; !up(); ++n) {
            if (n > 4000) fail("links are not up");
            edge();
        }
        const size_t width = hosts.size();
        const int sink = width / 2;
        uint64_t events = 0;
        long pattern = first, quiet = 0, cycle = 0, next = 0;
        int one = 0, two = 1;
        // Pattern CODE and later: all pairs, in order.
        for (long n = CODE; n < pattern; ++n)
            if (++two == CODE) { ++one; two = one + 1; }
        bool beside = false, hit = false;
        while (quiet < QUIET) {
            top.eval();
            for (auto& line : lines) {
                line.follow();
                line.clear();
                if (!last) line.noise();
            }
            if (last) {
                // The first line leads from the first switch.
                Line& line = lines[0];
                bool head = line.is_head();
                hit = hit != head;
                if (head && hit && cycle >= next && pattern < last) {
                    next = cycle + apart;
                    if (pattern < CODE) line.invert(pattern);
                    else {
                        line.invert(one);
                        line.invert(two);
                        if (++two == CODE) { ++one; two = one + 1; }
                    }
                    ++pattern;
                    beside = true;
                } else if (pattern < last) {
                    if (chance(beside ? noise : noise / 16)) line.spoil();
                    beside = false;
                }
            }
            for (auto& host : hosts) {
                if (!last && packets.size() < count && host.queue.empty())
                    host.add(below(width), 1 + below(LONGEST));
                host.step(last ? 0 : stall, host.number ? 0 : gap);
            }
            if (last && pattern < last) {
                if (hosts[0].queue.empty()) hosts[0].add(sink, 1 + below(LONGEST));
                if (busy && hosts[sink + 1].queue.empty()) hosts[sink + 1].add(sink, LONGEST);
            }
            events += event_count();
            edge();
            bool idle = true;
            for (auto& host : hosts) idle = idle && host.idle();
            quiet = idle && (last ? pattern >= last : packets.size() >= count) ? quiet + 1 : 0;
            if (++cycle > 200000 + 400 * long(last ? last - first : count)) fail("packets that do not arrive");
        }
        size_t good = 0, bad = 0;
        for (auto& host : hosts) { good += host.good; bad += host.bad; }
        std::cout << packets.size() << ' ' << good << ' ' << bad;
        for (auto& place : COUNTERS) {
            uint64_t sum = 0;
            for (auto status : STATUS) sum += field(status, place[0], place[1]);
            std::cout << ' ' << sum;
        }
        std::cout << ' ' << events << std::endl;
    }
}
