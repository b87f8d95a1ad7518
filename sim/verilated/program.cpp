// The switches of a network in one process: instances of one universal switch, cables between them, and hosts.
// The text before this one defines the class Port and the function port, which finds a port of a switch by its number.
//
// Commands come from standard input, numbers in decimal and values in hexadecimal:
//   set I P V         input P of instance I
//   get I P           prints the value of port P
//   cable I P J Q     output P of instance I drives input Q of instance J
//   host I P1..P6 N   host at the ports rx_valid, rx_flit, rx_credit, tx_valid, tx_flit, tx_credit, with N credits
//   flit H V          queues a flit at host H
//   run N             N cycles; prints `s H CYCLE` per flit that a host sends, `r H CYCLE CHANNEL V` per flit that it receives,
//                     and `. CYCLE` at the end
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

struct Cable {
    Port from, to;
    size_t reader;
};

struct Host {
    size_t instance;
    Port rx_valid, rx_flit, rx_credit, tx_valid, tx_flit, tx_credit;
    unsigned credits;
    std::deque<std::string> waiting;
};

static std::vector<std::unique_ptr<Vtop>> switches;
static std::vector<char> changed;
static std::vector<Cable> cables;
static std::vector<Host> hosts;
static long cycle = 0;

static void write(const Port& port, const std::string& hex) {
    unsigned char* bytes = static_cast<unsigned char*>(port.data);
    std::memset(bytes, 0, port.size);
    for (size_t digit = 0; digit < hex.size() && digit / 2 < port.size; ++digit) {
        const char c = hex[hex.size() - 1 - digit];
        bytes[digit / 2] |= (c <= '9' ? c - '0' : c - 'a' + 10) << 4 * (digit % 2);
    }
}

static std::string read(const Port& port) {
    const unsigned char* bytes = static_cast<const unsigned char*>(port.data);
    std::string hex;
    for (size_t place = port.size; place-- > 0;) {
        hex += "0123456789abcdef"[bytes[place] >> 4];
        hex += "0123456789abcdef"[bytes[place] & 15];
    }
    return hex;
}

static unsigned small(const Port& port) { return *static_cast<const unsigned char*>(port.data); }

// Copies cables and evaluates switches until nothing changes. Outputs come from registers, so a cable rarely moves twice.
static void settle() {
    for (bool moved = true; moved;) {
        moved = false;
        for (const Cable& cable : cables)
            if (std::memcmp(cable.to.data, cable.from.data, cable.to.size)) {
                std::memcpy(cable.to.data, cable.from.data, cable.to.size);
                changed[cable.reader] = 1;
            }
        for (size_t i = 0; i < switches.size(); ++i)
            if (changed[i]) {
                switches[i]->eval();
                changed[i] = 0;
                moved = true;
            }
    }
}

// The host's side of a link: it takes every flit, returns its credit, and sends a flit for each credit.
struct Answer {
    bool send;
    unsigned char credit;
};

static Answer answer(Host& host, size_t number) {
    const unsigned valid = small(host.tx_valid);
    if (valid) std::cout << "r " << number << ' ' << cycle << ' ' << valid << ' ' << read(host.tx_flit) << '\n';
    host.credits += small(host.rx_credit) & 1;
    const bool send = !host.waiting.empty() && host.credits > 0;
    if (send) --host.credits;
    return {send, static_cast<unsigned char>(valid)};
}

static void step() {
    settle();
    std::vector<Answer> answers;
    for (size_t h = 0; h < hosts.size(); ++h) answers.push_back(answer(hosts[h], h));
    for (auto& each : switches) {
        each->clk = 1;
        each->eval();
    }
    ++cycle;
    for (size_t h = 0; h < hosts.size(); ++h) {
        Host& host = hosts[h];
        write(host.rx_valid, answers[h].send ? "1" : "0");
        *static_cast<unsigned char*>(host.tx_credit.data) = answers[h].credit;
        if (answers[h].send) {
            write(host.rx_flit, host.waiting.front());
            host.waiting.pop_front();
            std::cout << "s " << h << ' ' << cycle << '\n';
        }
    }
    for (auto& each : switches) each->clk = 0;
    std::fill(changed.begin(), changed.end(), 1);
}

int main(int, char** arguments) {
    for (int i = 0; i < std::stoi(arguments[1]); ++i) switches.push_back(std::make_unique<Vtop>());
    changed.assign(switches.size(), 1);
    const auto next = [] {
        size_t instance, number;
        std::cin >> instance >> number;
        return port(*switches.at(instance), number);
    };
    for (std::string command; std::cin >> command;) {
        if (command == "set") {
            const Port to = next();
            std::string hex;
            std::cin >> hex;
            write(to, hex);
        } else if (command == "get") {
            settle();
            std::cout << read(next()) << std::endl;
        } else if (command == "cable") {
            const Port from = next();
            size_t reader, number;
            std::cin >> reader >> number;
            cables.push_back({from, port(*switches.at(reader), number), reader});
        } else if (command == "host") {
            size_t i, p[6];
            unsigned credits;
            std::cin >> i >> p[0] >> p[1] >> p[2] >> p[3] >> p[4] >> p[5] >> credits;
            Vtop& top = *switches.at(i);
            hosts.push_back({i, port(top, p[0]), port(top, p[1]), port(top, p[2]), port(top, p[3]), port(top, p[4]),
                             port(top, p[5]), credits, {}});
        } else if (command == "flit") {
            size_t host;
            std::string hex;
            std::cin >> host >> hex;
            hosts.at(host).waiting.push_back(hex);
        } else if (command == "run") {
            long cycles;
            for (std::cin >> cycles; cycles > 0; --cycles) step();
            std::cout << ". " << cycle << std::endl;
        }
    }
    // Models end before the runtime that they use.
    switches.clear();
}
