// Rows of bits: one net in 512 copies of a core. Code that generate.py writes includes this file.
#pragma once
#include <cstdint>

// The header of all intrinsics takes nine tenths of the compilation of a file, so GCC's own names of these two come first.
#if !defined(__AVX512F__)
#elif __has_builtin(__builtin_ia32_pternlogq512_mask) && __has_builtin(__builtin_ia32_ptestmq512)
typedef long long Words __attribute__((vector_size(64)));
#define TERNARY(a, b, c, table) __builtin_ia32_pternlogq512_mask((Words)a, (Words)b, (Words)c, table, 255)
#define NONZERO(v) __builtin_ia32_ptestmq512((Words)v, (Words)v, 255)
#else
#include <immintrin.h>
#define TERNARY(a, b, c, table) _mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, table)
#define NONZERO(v) _mm512_test_epi64_mask((__m512i)v, (__m512i)v)
#endif

constexpr int ROW = 64;

// As many copies as one instruction evaluates.
#if defined(__AVX512F__)
typedef uint64_t V __attribute__((vector_size(64), may_alias));
#elif defined(__AVX2__)
typedef uint64_t V __attribute__((vector_size(32), may_alias));
#else
typedef uint64_t V __attribute__((vector_size(16), may_alias));
#endif

static inline V& at(char* rows, int offset) { return *reinterpret_cast<V*>(rows + offset); }
static inline const V& at(const char* rows, int offset) { return *reinterpret_cast<const V*>(rows + offset); }
static inline V ones() { return ~V{}; }

static inline bool any(V v) {
#if defined(__AVX512F__)
    return NONZERO(v);
#else
    uint64_t found = 0;
    for (unsigned i = 0; i < sizeof(V) / 8; ++i) found |= v[i];
    return found;
#endif
}

static inline V choose(V condition, V yes, V no) { return (condition & yes) | (~condition & no); }

// Any function of three: bit 4 a + 2 b + c of TABLE.
template <int TABLE> static inline V lut(V a, V b, V c) {
#if defined(__AVX512F__)
    return (V)TERNARY(a, b, c, TABLE);
#else
    // Both functions of b and c that a chooses from.
    constexpr int no = TABLE & 15, yes = TABLE >> 4;
    const auto two = [&](int table) -> V {
        switch (table) {
            case 0: return V{};
            case 1: return ~(b | c);
            case 2: return ~b & c;
            case 3: return ~b;
            case 4: return b & ~c;
            case 5: return ~c;
            case 6: return b ^ c;
            case 7: return ~(b & c);
            case 8: return b & c;
            case 9: return ~(b ^ c);
            case 10: return c;
            case 11: return ~b | c;
            case 12: return b;
            case 13: return b | ~c;
            case 14: return b | c;
            default: return ones();
        }
    };
    if constexpr (no == yes) return two(no);
    if constexpr (no == 0) return a & two(yes);
    if constexpr (yes == 0) return ~a & two(no);
    if constexpr (no == 15) return ~a | two(yes);
    if constexpr (yes == 15) return a | two(no);
    if constexpr ((no ^ yes) == 15) return a ^ two(no);
    if constexpr ((no & ~yes) == 0) return two(no) | (a & two(yes));
    if constexpr ((yes & ~no) == 0) return two(yes) | (~a & two(no));
    return (a & two(yes)) | (~a & two(no));
#endif
}

// Calls f(word, copies) for every word that some copies address: bits of the address from the highest divide the copies.
template <int BIT, int WORDS, class F> static inline void each_word(const char* rows, const int* address, V copies, int word, F f) {
    if (word >= WORDS || !any(copies)) return;
    if constexpr (BIT < 0) f(word, copies);
    else {
        const V level = at(rows, address[BIT]);
        each_word<BIT - 1, WORDS>(rows, address, copies & ~level, word, f);
        each_word<BIT - 1, WORDS>(rows, address, copies & level, word | 1 << BIT, f);
    }
}

// A RAM reads before it writes, in copies that do. The table has the addresses of the register, of the words, of read enable, read
// address, write enable, write address, and data. Words that no copy reads or writes are not touched.
template <int WORDS, int WIDTH, int READ, int WRITE> static void ram(char* rows, const int* table) {
    const int *read = table + 2, *write = read + 1 + READ, *data = write + 1 + WRITE;
    char *reg = rows + table[0], *words = rows + table[1];
    each_word<READ - 1, WORDS>(rows, read + 1, at(rows, *read), 0, [=](int word, V here) {
        const char* from = words + word * WIDTH * ROW;
        for (int bit = 0; bit < WIDTH; ++bit) at(reg, bit * ROW) = choose(here, at(from, bit * ROW), at(reg, bit * ROW));
    });
    each_word<WRITE - 1, WORDS>(rows, write + 1, at(rows, *write), 0, [=](int word, V here) {
        char* to = words + word * WIDTH * ROW;
        for (int bit = 0; bit < WIDTH; ++bit) at(to, bit * ROW) = choose(here, at(rows, data[bit]), at(to, bit * ROW));
    });
}
