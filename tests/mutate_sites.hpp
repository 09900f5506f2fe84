// What mutate.py puts into kernels, so that one build holds every mutant: each changed place asks whether it is on.
#pragma once
#include <type_traits>

extern "C" unsigned char rung_mutant_state[];
int rung_mutant_asked(int id);

#define RUNG_MUTANT_INLINE constexpr inline __attribute__((always_inline))

/// 1 where the mutant is on. What the compiler evaluates stays as it was: mutate.py compiles such mutants one by one.
RUNG_MUTANT_INLINE int rung_mutant(int id) {
  if (std::is_constant_evaluated()) return 0;
  unsigned state = 0;
#ifdef __x86_64__
  // Read as the compiler does not see, or else it would call a hook of sim: a third of the time of all tests.
  asm("movzbl rung_mutant_state(%1), %0" : "=r"(state) : "r"(static_cast<long>(id)));
#else
  state = rung_mutant_state[id];
#endif
  return state ? rung_mutant_asked(id) : 0;
}

/// An index, of an array of known length if Indexed is (a reference to) one: past its end, the test ends.
template <class Indexed, class Index>
RUNG_MUTANT_INLINE Index rung_index(Index i) {
  using Array = std::remove_reference_t<Indexed>;
  if constexpr (std::is_bounded_array_v<Array>)
    if (static_cast<unsigned long>(i) >= std::extent_v<Array>) __builtin_trap();
  return i;
}

/// A comparison `a < b` becomes `a < RungSite{1, 2} < b`, whose precedence is the same. Mutant 0 is never on.
struct RungSite {
  int negated, moved;
};

#define RUNG_MUTANT_COMPARISON(NAME, OP, NEGATED, MOVED)                \
  template <class Left>                                                 \
  struct NAME {                                                         \
    Left left;                                                          \
    RungSite site;                                                      \
  };                                                                    \
  template <class Left>                                                 \
  RUNG_MUTANT_INLINE NAME<Left> operator OP(Left left, RungSite site) { \
    return {left, site};                                                \
  }                                                                     \
  template <class Left, class Right>                                    \
  RUNG_MUTANT_INLINE bool operator OP(NAME<Left> half, Right right) {   \
    if (rung_mutant(half.site.negated)) return half.left NEGATED right; \
    if (rung_mutant(half.site.moved)) return half.left MOVED right;     \
    return half.left OP right;                                          \
  }
RUNG_MUTANT_COMPARISON(RungLess, <, >=, <=)
RUNG_MUTANT_COMPARISON(RungLessEqual, <=, >, <)
RUNG_MUTANT_COMPARISON(RungGreater, >, <=, >=)
RUNG_MUTANT_COMPARISON(RungGreaterEqual, >=, <, >)
RUNG_MUTANT_COMPARISON(RungEqual, ==, !=, ==)
RUNG_MUTANT_COMPARISON(RungUnequal, !=, ==, !=)
