// cuBLAS geam as a transpose. The library is looked for when it is first asked for, so that a build with CUDA starts
// where there is none. The declarations are those of cublas_api.h (CUDA 12 and 13).
#include "reference.hpp"

#include "../kernels/machine/cuda/check.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>

#include <climits>
#include <map>
#include <mutex>
#include <string>

namespace rung {
namespace {

using Handle = void*;
constexpr int operation_none = 0, operation_transpose = 1;  // CUBLAS_OP_N, CUBLAS_OP_T

/// C = alpha · op(A) + beta · op(B), column-major.
using Geam = int (*)(Handle, int op_a, int op_b, int m, int n, const void* alpha, const void* a, int lda,
                     const void* beta, const void* b, int ldb, void* c, int ldc);

class Library {
 public:
  Library() {
    for (const char* soname : {"libcublas.so.13", "libcublas.so.12"})
      if ((library_ = dlopen(soname, RTLD_NOW | RTLD_LOCAL))) break;
    if (!library_) {
      missing_ = "there is no cuBLAS library (libcublas.so.13 or .12)";
      return;
    }
    load(create_, "cublasCreate_v2");
    load(set_stream_, "cublasSetStream_v2");
    load(get_property_, "cublasGetProperty");
    load(geam_[0], "cublasSgeam");
    load(geam_[1], "cublasDgeam");
    load(geam_[2], "cublasCgeam");
    load(geam_[3], "cublasZgeam");
  }

  /// Why it cannot be used; empty when it can.
  const std::string& missing() const { return missing_; }

  /// cublasGetProperty, which needs no handle, and so no driver.
  std::string version() const {
    std::string text = "cuBLAS";
    for (int part = 0; missing_.empty() && part < 3; ++part) {
      int number = 0;
      if (get_property_(part, &number) != 0) return "cuBLAS";
      text += (part == 0 ? " " : ".") + std::to_string(number);
    }
    return text;
  }

  /// A device's handle, made when a plan first asks for it (tens of milliseconds) and kept.
  Handle handle(int device, int& status) const {
    static std::mutex mutex;
    static std::map<int, Handle> handles;
    const std::lock_guard lock(mutex);
    Handle& handle = handles[device];
    status = handle ? 0 : create_(&handle);
    if (status != 0) handle = nullptr;
    return handle;
  }
  int set_stream(Handle handle, void* stream) const { return set_stream_(handle, stream); }
  Geam geam(DType dtype) const {
    return geam_[dtype == DType::f32 ? 0 : dtype == DType::f64 ? 1 : dtype == DType::c64 ? 2 : 3];
  }

 private:
  template <class Function>
  void load(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(library_, symbol));
    if (!function) missing_ = std::string("the cuBLAS library lacks ") + symbol;
  }

  void* library_ = nullptr;
  std::string missing_;
  int (*create_)(Handle*) = nullptr;
  int (*set_stream_)(Handle, void*) = nullptr;
  int (*get_property_)(int, int*) = nullptr;
  Geam geam_[4] = {};
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

class CuBlas final : public Reference {
 public:
  std::string name() const override { return "cublas"; }
  std::string version() const override { return library().version(); }
  Machine machine() const override { return Machine::gpu; }

  std::string call(const Problem& p) const override {
    if (!reason(p).empty()) return {};
    switch (p.dtype) {
      case DType::f32:
        return "cublasSgeam";
      case DType::f64:
        return "cublasDgeam";
      case DType::c64:
        return "cublasCgeam";
      default:
        return "cublasZgeam";
    }
  }

  std::string difference(const Problem& p) const override {
    if (!reason(p).empty()) return {};
    return info(p.dtype).kind == Kind::complex ? "multiplies by 1: an infinite part brings NaN"
                                               : "multiplies by 1: a NaN may lose its payload";
  }

  Plan plan(const Problem& p, const Launch&, const DeviceProperties&) const override {
    if (std::string why = reason(p); !why.empty()) return refuse(std::move(why));
    if (!library().missing().empty()) return refuse(library().missing());
    int device = 0, status = 0;
    if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess)
      return refuse(cudaGetErrorString(error));
    if (!library().handle(device, status)) return refuse("cublasCreate failed with status " + std::to_string(status));
    Plan plan;
    plan.launch = "chosen by cuBLAS";
    return plan;
  }

  /// Row-major rows × cols is column-major cols × rows, whose transpose has leading dimension rows.
  void run(const Problem& p, const Launch&, const DeviceProperties&, const Buffers& b, Stream s) const override {
    const auto rows = static_cast<int>(p.transpose->rows), cols = static_cast<int>(p.transpose->cols);
    const int leading_in = std::max(cols, 1), leading_out = std::max(rows, 1);
    int device = 0, status = 0;
    check(cudaGetDevice(&device));
    const Handle handle = library().handle(device, status);
    if (status == 0) status = library().set_stream(handle, s.handle);
    const double one[2] = {1, 0}, zero[2] = {0, 0};
    const float one_single[2] = {1, 0}, zero_single[2] = {0, 0};
    const bool single = p.dtype == DType::f32 || p.dtype == DType::c64;
    const void *alpha = one, *beta = zero;
    if (single) alpha = one_single, beta = zero_single;
    if (status == 0)
      status = library().geam(p.dtype)(handle, operation_transpose, operation_none, rows, cols, alpha, b.in, leading_in,
                                       beta, b.out, leading_out, b.out, leading_out);
    if (status != 0) throw DeviceError(call(p) + " failed with status " + std::to_string(status));
  }

 private:
  static std::string reason(const Problem& p) {
    if (p.family == Family::reduce) return "cuBLAS has no such reduction";
    if (p.family == Family::reverse) return "cuBLAS has no reverse";
    if (p.dtype != DType::f32 && p.dtype != DType::f64 && p.dtype != DType::c64 && p.dtype != DType::c128)
      return "cuBLAS transposes f32, f64, c64, c128 only";
    if (!p.transpose || p.transpose->batch != 1) return "geam transposes one matrix";
    if (p.transpose->rows > INT_MAX || p.transpose->cols > INT_MAX) return "geam takes its extents as int";
    return {};
  }
};

}  // namespace

std::vector<std::unique_ptr<Reference>> cublas_references() {
  std::vector<std::unique_ptr<Reference>> list;
  list.push_back(std::make_unique<CuBlas>());
  return list;
}

}  // namespace rung
