// Floats of different types, compared under a tolerance.
#pragma once
#include "../../kernels/array.hpp"

namespace rung::cli {

/// Whether both are floats, or both complex.
bool widen_to_one_type(DType a, DType b);

/// An array of floats as f64, of complex numbers as c128: the same values.
HostArray widened(HostArray array);

}  // namespace rung::cli
