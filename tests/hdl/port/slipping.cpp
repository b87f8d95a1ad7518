// Two fabric ports in one process, joined by serial lines. A receiver cuts words at a boundary that it moves by one bit per slip.
// WORD is the number of bits of a word, GROUP that of the codewords or groups after which all boundaries are alike.
//
// Each line of standard input is a search, in decimal: OFFSET BACK BER STEP SETTLE GAPS STRICT LIVE LIMIT SEED.
// Port b receives OFFSET bits off the boundary and port a BACK bits; errors have the rate BER; a slip moves the boundary by
// STEP bits; SETTLE words are between the cut and the port; a part GAPS of the cycles has no word; STRICT is the requested format.
// The search begins with a reset or, if LIVE, on a link that is up. Its answer is the number of cycles until both ends are up and
// have been for 100 cycles, or -1 after LIMIT cycles, and then for each port the bits by which its boundary is off.
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

static const int UP = 4;
static std::mt19937_64 generator;

// Bits from one port to the other, in a ring that holds the last groups.
class Line {
    std::vector<unsigned char> bits = std::vector<unsigned char>(4 * GROUP);
    std::deque<std::vector<unsigned>> pipe;
    size_t settle = 0;
    long sent = 0, cut = 0, error = 0;
    bool runs = false;

  public:
    double ber = 0;
    void start(int offset, size_t words) {
        settle = words;
        sent = 4 * GROUP;
        cut = sent + offset;
        runs = false;
        for (auto& bit : bits) bit = generator() & 1;
        pipe.clear();
        next_error();
    }
    // The receiver gets words when the line is full.
    bool ready() { return runs = runs || sent - cut >= 2 * GROUP; }
    void move(int bits) {
        cut += bits;
        // The boundaries of all groups are alike.
        if (cut < sent - 3 * GROUP) cut += GROUP;
        if (cut > sent - GROUP) cut -= GROUP;
    }
    void next_error() { error = ber ? std::geometric_distribution<long>(ber)(generator) : -1; }
    void send(const unsigned* word) {
        for (int bit = 0; bit < WORD; ++bit, ++sent) {
            bool wrong = error == 0;
            if (wrong) next_error(); else if (error > 0) --error;
            bits[sent % bits.size()] = (word[bit / 32] >> bit % 32 & 1) ^ wrong;
        }
    }
    // Cuts a word. Returns whether one leaves the pipeline, which is full after the first words.
    bool receive(unsigned* word) {
        std::vector<unsigned> next((WORD + 31) / 32);
        for (int bit = 0; bit < WORD; ++bit, ++cut)
            next[bit / 32] |= static_cast<unsigned>(bits[cut % bits.size()]) << bit % 32;
        pipe.push_back(next);
        if (pipe.size() <= settle) return false;
        std::memcpy(word, pipe.front().data(), 4 * next.size());
        pipe.pop_front();
        return true;
    }
    long off() const { return cut % GROUP; }
};

struct End {
    Vtop port;
    Line from;
};

static End ends[2];

static void step(int direction, double gaps) {
    bool valid = !gaps || std::uniform_real_distribution<>()(generator) >= gaps;
    for (int e = 0; e < 2; ++e) {
        Vtop& port = ends[e].port;
        port.o_ready = valid;
        port.i_valid = valid && ends[e].from.ready() && ends[e].from.receive(port.i_payload.data());
    }
    for (int e = 0; e < 2; ++e) {
        ends[e].port.eval();
        if (valid && ends[e].port.o_valid) ends[1 - e].from.send(ends[e].port.o_payload.data());
    }
    bool slips[] = {bool(ends[0].port.slip), bool(ends[1].port.slip)};
    // The core takes what random bits look like.
    unsigned taken[] = {ends[0].port.core_rx_valid, ends[1].port.core_rx_valid};
    for (auto& end : ends) {
        end.port.clk = 1;
        end.port.eval();
        end.port.clk = 0;
        end.port.eval();
    }
    for (int e = 0; e < 2; ++e) {
        if (slips[e]) ends[e].from.move(direction);
        ends[e].port.core_rx_credit = taken[e];
    }
}

static bool up() {
    for (auto& end : ends)
        if ((end.port.status[0] & 7) != UP) return false;
    return true;
}

int main() {
    for (int e = 0; e < 2; ++e) {
        Vtop& port = ends[e].port;
        port.own_address = e;
        port.peer_address = 1 - e;
        port.own_port = port.peer_port = 0;
        port.core_tx_valid = port.core_rx_credit = port.clear = 0;
    }
    int offset[2], direction, live;
    size_t settle, strict;
    double ber, gaps;
    long limit;
    unsigned long seed;
    while (std::cin >> offset[1] >> offset[0] >> ber >> direction >> settle >> gaps >> strict >> live >> limit >> seed) {
        generator.seed(seed);
        long cycle = 0;
        const auto search = [&](long most) {
            int right = 0;
            for (cycle = 0; cycle < most && right < 100; ++cycle) {
                step(direction, gaps);
                right = up() ? right + 1 : 0;
            }
            return right == 100;
        };
        for (int e = 0; e < 2; ++e) {
            ends[e].from.ber = ber;
            ends[e].from.start(live ? 0 : offset[e], settle);
#if SELECTED
            ends[e].port.strict = strict;
#endif
            ends[e].port.rst = 1;
        }
        for (int count = 0; count < 4; ++count) step(0, 2);
        for (auto& end : ends) end.port.rst = 0;
        bool done = true;
        if (live) {
            done = search(limit);
            for (int e = 0; e < 2; ++e) ends[e].from.move(offset[e]);
            // The ends find out that the boundary has moved.
            for (int count = 0; done && count < 8 * GROUP / WORD + 200; ++count) step(direction, gaps);
        }
        done = done && search(limit);
        std::cout << (done ? cycle : -1) << ' ' << ends[0].from.off() << ' ' << ends[1].from.off() << std::endl;
    }
}
