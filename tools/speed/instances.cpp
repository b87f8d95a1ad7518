// A network of switch cores as Verilated instances: cables, hosts with given packets, and the processor time of a run.
// The text before this one defines FLIT (bits of a flit), PORTS, HOSTS, and `port`, which finds a signal of a port of a core.
//
//   program FILE CYCLES RESULT
//
// FILE has numbers of 64 bits: switches, depth, straps; for each switch its straps; for each switch and port to a switch the
// other switch and its port (or -1); for each host the source word, the destination word; words by flits of a packet up to the
// longest, whose number comes first; for each host the number of its packets, and of each packet cycle, destination and flits.
// RESULT gets for each packet that arrives: header, destination host, and the cycles of head and tail. The processor time of all
// cycles is printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

typedef uint64_t u64;
static_assert(FLIT == 64, "a flit is one word");

enum Signal { RX_VALID, RX_FLIT, RX_CREDIT, TX_VALID, TX_FLIT, TX_CREDIT };

struct Cable {
    unsigned char *to;
    const unsigned char *from;
    size_t size;
};

struct Packet {
    u64 cycle, destination, flits;
};

struct Host {
    unsigned char *rx_valid, *rx_flit, *rx_credit, *tx_valid, *tx_flit, *tx_credit;
    std::vector<Packet> packets;
    size_t next = 0;
    u64 number = 0, flits = 0, credits = 0;
    u64 send = 0, data = 0, marks = 0, credit = 0;  // inputs of the next cycle
    u64 header = 0, head = 0;                       // of the packet that arrives
};

// As the engine makes them: state.hpp.
static u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
static u64 payload(u64 source, u64 number, u64 flit) { return mix(mix(source << 40 ^ number) + flit * 0x100000001b3u); }

static double now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int, char** arguments) {
    FILE* file = fopen(arguments[1], "rb");
    const auto read = [&] {
        u64 value = 0;
        if (fread(&value, 8, 1, file) != 1) exit(2);
        return value;
    };
    const u64 switches = read(), depth = read(), count = read();
    VerilatedContext context;
    std::vector<std::unique_ptr<Vtop>> tops;
    for (u64 i = 0; i < switches; ++i) tops.push_back(std::make_unique<Vtop>(&context));
    for (auto& top : tops) {
        top->clk = top->rst = 0;
        for (u64 k = 0; k < count; ++k) {
            const u64 value = read();
            memcpy(strap(*top, k).data, &value, strap(*top, k).size);
        }
        top->eval();
    }
    std::vector<Cable> cables;
    for (u64 i = 0; i < switches; ++i)
        for (int p = 0; p < PORTS; ++p) {
            const u64 other = read(), far = read();
            if (other == ~u64(0)) continue;
            for (auto [to, from] : {std::pair{RX_VALID, TX_VALID}, {RX_FLIT, TX_FLIT}, {TX_CREDIT, RX_CREDIT}}) {
                const Port a = port(*tops[i], p, to), b = port(*tops[other], far, from);
                cables.push_back({a.data, b.data, a.size});
            }
        }
    std::vector<Host> hosts(switches * HOSTS);
    std::vector<u64> sources, destinations;
    for (size_t k = 0; k < hosts.size(); ++k) sources.push_back(read()), destinations.push_back(read());
    std::vector<u64> lengths(read() + 1);
    for (u64& word : lengths) word = read();
    const u64 header_mask = read();
    for (size_t k = 0; k < hosts.size(); ++k) {
        Host& host = hosts[k];
        const auto at = [&](Signal signal) { return port(*tops[k / HOSTS], PORTS + k % HOSTS, signal).data; };
        host.rx_valid = at(RX_VALID), host.rx_flit = at(RX_FLIT), host.rx_credit = at(RX_CREDIT);
        host.tx_valid = at(TX_VALID), host.tx_flit = at(TX_FLIT), host.tx_credit = at(TX_CREDIT);
        host.credits = depth;
        host.packets.resize(read());
        for (Packet& packet : host.packets) packet = {read(), read(), read()};
    }
    std::vector<u64> arrived;

    const auto prepare = [&](size_t me, u64 cycle) {
        Host& host = hosts[me];
        host.send = 0;
        if (host.next == host.packets.size() || host.packets[host.next].cycle > cycle || !host.credits) return;
        const Packet& packet = host.packets[host.next];
        --host.credits;
        host.send = 1;
        host.data = payload(me, host.number, host.flits);
        if (!host.flits)
            host.data = (host.data & ~header_mask) | (sources[me] ^ destinations[packet.destination] ^ lengths[packet.flits]);
        host.marks = !host.flits;
        if (++host.flits == packet.flits) host.marks |= 2, host.flits = 0, ++host.number, ++host.next;
    };

    for (size_t me = 0; me < hosts.size(); ++me) prepare(me, 0);
    const u64 cycles = strtoull(arguments[2], nullptr, 10);
    const double start = now();
    for (u64 cycle = 0; cycle < cycles; ++cycle) {
        for (const Cable& cable : cables)
            if (cable.size == 1) *cable.to = *cable.from;
            else memcpy(cable.to, cable.from, cable.size);
        for (size_t me = 0; me < hosts.size(); ++me) {
            Host& host = hosts[me];
            *host.rx_valid = host.send, *host.tx_credit = host.credit;
            if (host.send) memcpy(host.rx_flit, &host.data, 8), host.rx_flit[8] = host.marks;
            host.credits += *host.rx_credit & 1;
            host.credit = *host.tx_valid;
            if (host.credit) {
                u64 data;
                memcpy(&data, host.tx_flit, 8);
                if (host.tx_flit[8] & 1) host.header = data & header_mask, host.head = cycle;
                if (host.tx_flit[8] & 2) arrived.insert(arrived.end(), {host.header, me, host.head, cycle});
            }
        }
        for (auto& top : tops) {
            top->clk = 1;
            top->eval();
            top->clk = 0;
            top->eval();
        }
        for (size_t me = 0; me < hosts.size(); ++me) prepare(me, cycle + 1);
    }
    printf("%.6f\n", now() - start);
    file = fopen(arguments[3], "wb");
    fwrite(arrived.data(), 8, arrived.size(), file);
    fclose(file);
    for (auto& top : tops) top->final();
}
