// The switches of a network in one process: instances of one universal switch, cables between them, and hosts.
// The text before this one defines `ports`, which gives the ports of a switch by their names.
//
// Commands come from standard input, numbers in decimal and values in hexadecimal; I and J are instances, P and Q their ports:
//   set I P V         input P has the value V
//   get I P           prints the value of P
//   cable I P J Q     output P drives input Q
//   host I P N        host at the ports P_rx_valid, P_rx_flit, P_rx_credit, P_tx_valid, P_tx_flit, P_tx_credit, with N credits
//   flit H CYCLE V    host H sends a flit after those before it, from CYCLE on
//   time 0            prints the seconds of processor time of the process
//   run N             N cycles; prints `s H CYCLE` per flit that a host sends, `r H CYCLE CHANNEL V` per flit that it receives,
//                     and `. CYCLE` at the end
#include <cstring>
#include <ctime>
#include <deque>
#include <iostream>
#include <memory>

struct Cable {
    Port from, to;
    size_t reader;
};

struct Flit {
    long cycle;
    std::string value;
};

struct Host {
    Port rx_valid, rx_flit, rx_credit, tx_valid, tx_flit, tx_credit;
    unsigned credits, returned = 0;
    bool sends = false;
    std::deque<Flit> waiting;
};

struct Switch {
    std::unique_ptr<Vtop> top = std::make_unique<Vtop>();
    std::map<std::string, Port> named = ports(*top);
    bool changed = true;
    const Port& port(const std::string& name) const { return named.at(name); }
};

static std::vector<Switch> switches;
static std::vector<Cable> cables;
static std::vector<Host> hosts;
static long cycle = 0;

static void write(const Port& port, const std::string& hex) {
    std::memset(port.data, 0, port.size);
    for (size_t digit = 0; digit < hex.size() && digit / 2 < port.size; ++digit) {
        const char c = hex[hex.size() - 1 - digit];
        port.data[digit / 2] |= (c <= '9' ? c - '0' : c - 'a' + 10) << 4 * (digit % 2);
    }
}

static std::string read(const Port& port) {
    std::string hex;
    for (size_t place = port.size; place-- > 0;)
        for (int shift : {4, 0}) hex += "0123456789abcdef"[port.data[place] >> shift & 15];
    return hex;
}

// Copies cables and evaluates switches until nothing changes. Outputs come from registers, so a cable rarely moves twice.
static void settle() {
    for (bool moved = true; moved;) {
        moved = false;
        for (const Cable& cable : cables)
            if (std::memcmp(cable.to.data, cable.from.data, cable.to.size)) {
                std::memcpy(cable.to.data, cable.from.data, cable.to.size);
                switches[cable.reader].changed = true;
            }
        for (Switch& each : switches)
            if (each.changed) {
                each.top->eval();
                each.changed = false;
                moved = true;
            }
    }
}

// A host takes every flit, returns its credit in the next cycle, and sends a flit for each credit.
static void step() {
    settle();
    for (Host& host : hosts) {
        host.returned = *host.tx_valid.data;
        if (host.returned)
            std::cout << "r " << &host - &hosts[0] << ' ' << cycle << ' ' << host.returned << ' ' << read(host.tx_flit) << '\n';
        host.credits += *host.rx_credit.data & 1;
        host.sends = !host.waiting.empty() && host.waiting.front().cycle <= cycle + 1 && host.credits > 0;
    }
    for (Switch& each : switches) {
        each.top->clk = 1;
        each.top->eval();
    }
    ++cycle;
    for (Host& host : hosts) {
        *host.rx_valid.data = host.sends;
        *host.tx_credit.data = host.returned;
        if (!host.sends) continue;
        --host.credits;
        write(host.rx_flit, host.waiting.front().value);
        host.waiting.pop_front();
        std::cout << "s " << &host - &hosts[0] << ' ' << cycle << '\n';
    }
    for (Switch& each : switches) {
        each.top->clk = 0;
        each.changed = true;
    }
}

int main(int, char** arguments) {
    switches.resize(std::stoi(arguments[1]));
    std::string command, name, other, hex;
    for (size_t i, j; std::cin >> command >> i;) {
        if (command == "set") {
            std::cin >> name >> hex;
            write(switches.at(i).port(name), hex);
        } else if (command == "get") {
            std::cin >> name;
            settle();
            std::cout << read(switches.at(i).port(name)) << std::endl;
        } else if (command == "cable") {
            std::cin >> name >> j >> other;
            cables.push_back({switches.at(i).port(name), switches.at(j).port(other), j});
        } else if (command == "host") {
            unsigned credits;
            std::cin >> name >> credits;
            const auto port = [&](const char* part) { return switches.at(i).port(name + part); };
            hosts.push_back({port("_rx_valid"), port("_rx_flit"), port("_rx_credit"), port("_tx_valid"), port("_tx_flit"),
                             port("_tx_credit"), credits});
        } else if (command == "flit") {
            long from;
            std::cin >> from >> hex;
            hosts.at(i).waiting.push_back({from, hex});
        } else if (command == "time") {
            std::cout << double(std::clock()) / CLOCKS_PER_SEC << std::endl;
        } else if (command == "run") {
            for (; i > 0; --i) step();
            std::cout << ". " << cycle << std::endl;
        }
    }
    // Models end before the runtime that they use.
    switches.clear();
}
