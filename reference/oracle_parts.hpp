// The parts of the oracle, by kind of answer. Each fills the fields of Oracle that its kind has.
#pragma once
#include "oracle.hpp"

namespace rung {

/// Sum, product and mean of floats and complex numbers. oracle.want is allocated.
void float_oracle(const Problem& p, const void* in, Oracle& oracle);

/// Sum and product of integers, exact or wrapping; mean of integers.
void integer_oracle(const Problem& p, const void* in, Oracle& oracle);

/// min, max, argmin, argmax of any ordered type.
void order_oracle(const Problem& p, const void* in, Oracle& oracle);

/// Transposes and reverses, by Problem::move alone.
void move_oracle(const Problem& p, const void* in, Oracle& oracle);

}  // namespace rung
