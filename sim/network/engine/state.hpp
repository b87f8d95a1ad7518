// What the runtime shares with Python, and the state of a simulation.
#pragma once
#include <algorithm>
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

constexpr int COPIES = 512, GROUPS = 8, BINS = 4096, HOPS = 256, PLANES = 8, MOST_CHANNELS = 64;

extern "C" {
// Everything that is known before the start. Tables of rows are [port][channel] or [port][bit]; ports of hosts follow the others.
struct Config {
    void (*step)(char* rows, int parity);
    char** rows;
    i32 words, ports, hosts, channels, depth, flit, header, longest, flops, events, points, switches, source_shift, source_bits;
    i32 threads, destination_shift, layer_shift, layer_bits, latency, wires;  // latency: cycles of the routing
    i32 link_channels;      // length of a row of leaves
    i32 undeliverable_bit;  // place of the mark of packets that detours cannot deliver, -1 without detours
    i32 age_shift, age_bits, virtual_networks;
    const i32* network_first;  // [virtual network]: its first channel at a host, and behind the last
    const i32 *outs, *ins;  // [port][wire]: rows of outputs to other switches, and of the inputs that they drive; -1 for none
    const i32 *channels_of, *most, *host_credits;  // [port]: channels, most flits of a channel; [host port]: credits of a host
    const i32 *rx_valid, *rx_flit, *rx_credit, *tx_valid, *tx_flit, *tx_credit, *event_rows;
    const i32* leaves;                            // [port][channel]: registers of flits to other switches; -1 for none
    const i32 *event_port, *event_cause;          // cause: why a packet is lost, see Counts; -1 for events that never happen
    const i32 *from_copy, *from_port, *delay;     // [copy][port]: what drives an input; from_copy is -1 for none
    const i32* point_of;                          // [copy], -1 for none
    const i32* host_of;                           // [source address]: number of the host
    const u64 *source, *destination, *length, *hop, *layer, *undeliverable, *age, *virtual_network;  // see below
};

// A header is the XOR of words: by source, by destination, by flits, by hops, without and with the mark of tables, by layer, by age, by
// virtual network, and that of the mark of packets that cannot be delivered, if it has this mark.

// The traffic of a point. One of table, cdf, and trace may be given; else destinations are uniform.
struct Traffic {
    i32 base, lengths, cdf_rows, ordered, log, lossy;  // lossy: switches may drop packets
    u64 seed;
    const double* load;      // per host: probability of a packet per cycle (in a burst)
    const i32* table;        // per host
    const double* cdf;       // [row][host]
    const double* length_cdf;
    const i32* length_of;
    double on, off;          // mean lengths of bursts and pauses; 0 without bursts
    const u64* trace;        // per row: cycle, destination, flits
    const u64* trace_first;  // per host: first row, and behind the last
    const u64* data;         // [row][flit][word] of a trace: payloads, or none for made ones
    const uint8_t* layers;   // [switch of the source][switch of the destination]
    double errors;           // probability that a flit on a link between switches arrives with an error
    const double* shares;    // [virtual network]: cumulative shares of the packets
    const uint8_t* blocked;  // per host: virtual networks of which it takes no packet, as bits; none
    i32 outstanding, reply_queue, reply_delay;  // closed loop if outstanding is not 0: see closed.hpp
};

struct Counts {
    u64 offered_packets, offered_flits, injected_packets, injected_flits, delivered_packets, delivered_flits;
    u64 measured, missing, in_flight, queued, last_move, fill_samples, longest_wait, marked, lost_flits;
    u64 lost[5];  // measured packets: on links, without a route, too many hops, back to where they came from, undeliverable
    u64 sums[4], greatest[4];
    u64 histogram[4][BINS], hops[HOPS];
};

struct NetworkCounts {  // of the packets of one virtual network, as in Counts
    u64 offered_packets, offered_flits, delivered_packets, delivered_flits, measured;
    u64 sums[4], greatest[4];
    u64 histogram[4][BINS];
};

struct Record {
    u32 source, destination, flits, hops;
    u64 offered, injected, head, tail, row;  // row: place among the rows of the source's trace
};

struct Error {
    i32 kind, copy, port, channel;
    u64 cycle, source, destination, number;
};
}

enum { EVENT = 1, CREDIT, OVERFLOW_, UNDERFLOW_, HEADER, WRONG_HOST, UNKNOWN, PAYLOAD, ORDER, MARKS, LENGTH, STRANDED };

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
    uint8_t layer = 0, network = 0;
    bool reply = false;
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

struct Sender {  // one of the queues of a host: a virtual network, or the replies of a closed loop
    Queue<Packet> queue;
    u32 flits = 0;  // sent of the packet in front of the queue
    i32 channel = 0;
};

struct Inbox {  // a channel of a host's sink: flits that the host has not taken
    struct Entry {
        u32 source, flits, waiting;  // waiting: flits whose credits have not returned
        bool request, whole, taken;
    };
    Queue<Entry> packets;
};

struct Host {
    Random random;
    u64 next = ~u64(0), sent_packets = 0, burst_left = 0, trace_at = 0, trace_end = 0;
    double log_rest = 0;
    std::vector<Sender> senders;
    u32 turn = 0;             // the sender that comes first
    i32 outstanding = 0, replies = 0;  // of a closed loop: requests without a reply; replies that are owed or wait
    std::vector<Packet> out;  // in the network, in the order of their heads
    std::vector<i32> credits;
    std::vector<Inbox> inboxes;
    Queue<Packet> owed;  // replies that are not ready
};

struct Arriving {  // on a channel of a host's sink
    u32 source = 0, flits = 0;
    u64 digest = 0, head = 0, header = 0;
    bool open = false, reply = false;
};

enum { ARRIVED, MARKED, LOST };

constexpr i32 NOT_LOST = -1, UNDELIVERABLE = 4;  // causes of losses, see Counts

struct Message {  // a packet has arrived, with a mark or without, or was lost; for the word of its source
    u32 source, flits, hops, destination;  // hosts: source within its word, destination within the point
    u64 digest, head, tail;                // digest: of a lost packet, the first word of its head
    i32 copy, port, layer, kind, cause, network;  // cause: of a packet that is lost, or undeliverable and has arrived elsewhere
};

struct Broken {  // the rest of a packet that a link has ended
    i32 port, lane, channel;
};

struct Return {  // a credit for a flit that a link has dropped
    u64 due;
    i32 port, lane, channel;
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
    std::vector<Row> sent, held, waits;               // by buffer: flits have left, or were there, since a sample; samples of a wait
    std::vector<u64> link_flits, fill, source_flits, destination_flits;
    std::vector<std::vector<Message>> mail[2];        // by the word of the source
    std::vector<std::vector<Return>> returns[2];      // by the word of the sender
    std::vector<Return> due;
    std::vector<Broken> broken;
    std::vector<std::pair<u64, i32>> faults;          // heap: the next error of each link (port * COPIES + copy)
    std::vector<Random> fault_random;                 // by link
    std::vector<Row> heads;                           // [cycle][port][bit]: first words of flits at the inputs of the last cycles
    std::vector<int> points;
    std::vector<Row> masks;                           // of points
    std::vector<Counts*> counts;
    std::vector<NetworkCounts> networks;              // [slot][virtual network]
    std::vector<int> slot_of;                         // by point: place in the three vectors above
    std::vector<std::vector<Record>> logs;
    Row used{};
    std::vector<Row> holds;                           // [host port]: hosts that may leave flits in their buffers
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
    bool joined = false, delayed = false, stopped = false, lossy = false, errors = false, holds = false;
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
