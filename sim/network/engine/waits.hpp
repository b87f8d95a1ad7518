// The longest wait of a head: how long an input buffer that holds flits has sent none, in whole samples.
#pragma once
#include "state.hpp"

constexpr int SAMPLE = 16, SAMPLE_BITS = 20;  // cycles of a sample; bits of a count of samples

static void start_waits(Word& w, int places) {
    w.sent.resize(places), w.held.resize(places);
    w.waits.resize((size_t)places * SAMPLE_BITS);
}

// A sample ends for a buffer, which holds flits in the copies ``holds``.
static void end_sample(Sim& s, Word& w, int place, Row holds) {
    const Row stuck = w.held[place] & ~w.sent[place] & holds;
    w.held[place] = holds, w.sent[place] = Row{};
    Row carry = stuck, *count = &w.waits[(size_t)place * SAMPLE_BITS];
    for (int bit = 0; bit < SAMPLE_BITS; ++bit) {
        const Row old = count[bit];
        count[bit] = (old ^ carry) & stuck;
        carry &= old;
    }
    if (!any(stuck)) return;
    for (size_t slot = 0; slot < w.points.size(); ++slot) {
        Row longest = stuck & w.masks[slot];
        if (!s.measuring[w.points[slot]] || !any(longest)) continue;
        u64 samples = 0;
        for (int bit = SAMPLE_BITS; bit-- > 0;) {
            const Row longer = longest & count[bit];
            if (any(longer)) longest = longer, samples |= (u64)1 << bit;
        }
        u64& most = w.counts[slot]->longest_wait;
        most = std::max(most, samples * SAMPLE);
    }
}
