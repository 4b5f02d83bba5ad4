#pragma once

#include "algebra/device_interface.h"
#include "algebra/host/for_each.h"

#include <memory>
#include <utility>

namespace adamant
{
template <typename Number>
class Vector;
template <typename Number>
class Matrix;
template <typename T>
class List;
template <class T>
class Shared;
/// The results of reductions. They stay where the device computes them, for later operations; `fetch` brings them to
/// the host.
using Scalars = Shared<double>;

/// The place where vectors and matrices live and where operations run: threads of the host, or a GPU for each rank. It
/// is chosen once, when the program starts. A Device is a handle: copies mean the same device. On the host an operation
/// is done when it returns. On a GPU it follows the operations before it on one stream, and only operations that give
/// numbers to the host wait. Reductions sum fixed parts in a fixed order, so that results repeat to the bit, for any
/// number of threads. All sizes are this rank's own. Reductions run over all ranks, and products fetch entries of other
/// ranks' vectors: all ranks call them together. Outputs must not alias inputs unless stated.
///
/// Functors are the only code that is compiled for both kinds of device. They hold pointers (Vector::data), and a .cu
/// file instantiates `cuda::for_each` or `cuda::for_each_row` for each of them (algebra/functors.cuh). A C++ source
/// that calls `sums` or `for_each_row` includes algebra/functors.h, which defines them.
class Device
{
public:
  Device() = default; ///< no device
  /// Returns the host as a device, with n_threads threads.
  static Device host(int n_threads, const Communicator &ranks = Communicator())
  {
    return Device(make_host_device(n_threads, ranks));
  }
  /// Returns this rank's GPU. Throws RunError, on all ranks or on none, where there is no usable GPU or the library was
  /// built without CUDA.
  static Device cuda(const Communicator &ranks = Communicator(), bool share_devices = false,
                     MatrixFormat format = MatrixFormat::compressed)
  {
    return Device(make_cuda_device(ranks, share_devices, format));
  }

  /// @name Facts
  /// @{
  const DeviceTraits &traits() const { return device->traits(); } ///< what code above decides by
  std::string         name() const { return device->name(); }     ///< name of the processor or the GPU
  const Communicator &communicator() const { return device->communicator(); }
  MatrixFormat        matrix_format() const { return device->matrix_format(); } ///< the format of sparse matrices
  DeviceInterface    &interface() const { return *device; } ///< for lib/algebra: memory, ranks, bandwidth
  /// @}

  void synchronize() const { device->synchronize(); } ///< waits for all operations
  /// Has graphs recorded anew before their next replay. It is for changes of numbers that were arguments of recorded
  /// operations.
  void outdate_graphs() const { device->outdate_graphs(); }

  /// Runs `operations`, which come again and again, as in time steps, and returns their result. A GPU launches them
  /// together. It launches a sequence that has come often as one, such as a whole step with its solve. Operations that
  /// wait for numbers divide the sequence.
  template <class Run>
  auto together(const Run &operations) const
  {
    decltype(operations()) result;
    device->run_together([&] { result = operations(); });
    return result;
  }

  void launch_waiting() const { device->launch_waiting(); } ///< launches what together() holds so far

  /// Calls f(i) for 0 <= i < n, in any order. A functor with value(i) and store(i, value) in place of the call operator
  /// works on independent elements: a GPU then loads several before it stores the first.
  template <typename Functor>
  void for_each(int n, const Functor &f) const
  {
    if constexpr (built_with_cuda)
      if (traits().kernels)
        return cuda::for_each(*device, n, f);
    host::for_each(device->n_threads(), n, f);
  }

  /// Calls f(i, lanes) for 0 <= i < n, in any order. The threads of a group work on each i together; see OneLane.
  template <typename Functor>
  void for_each_by_lanes(int n, const Functor &f) const
  {
    if constexpr (built_with_cuda)
      if (traits().kernels)
        return cuda::for_each_by_lanes(*device, n, f);
    host::for_each(device->n_threads(), n, [&f](int i) { f(i, OneLane()); });
  }

  /// Sets s[first + j] = Σ_i f(i, c).value[j] for j < m, where m is 1 or 2. The call operator of f is `Sums<m>
  /// operator()(int i, c)`, and may change element i of vectors. c = f.prepare() holds the scalars that f needs of the
  /// device. The results stay there.
  template <typename Functor>
  void sums(int n, const Functor &f, Scalars &s, int first) const;
  /// Computes the sums of f, then asks the control: that of a loop at the end of its step (loop.h), or ToHost. On the
  /// host it returns the control's answer; on a GPU it returns true, and the answer goes where `answer` says.
  template <typename Functor, class Control>
  bool sums(int n, const Functor &f, Scalars &s, int first, const Control &control, const LoopAnswer &answer) const;
  /// Computes the sums of f, from s[0] on, then the sums of g(i, g.prepare(sums of f)), which follow them in s, then
  /// asks the control.
  template <class F, class G, class Control>
  bool sums(int n, const F &f, const G &g, Scalars &s, const Control &control, const LoopAnswer &answer) const;

  /// Calls f(i, (A x)_i, operands) for all rows i of A, with the operands that f fetches for row i. row_functors.h
  /// lists the members of a functor. `x` is a vector or a functor that computes entry i of one. With `rows`, a list of
  /// nodes, row i of A stands for row rows[i / m] m + i % m, where a node of A has m rows. In that way subsets of rows
  /// (the colours of Gauss-Seidel) are matrices of their own.
  template <typename Number, class X, class Functor>
  void for_each_row(const Matrix<Number> &A, const X &x, const Functor &f) const;
  template <typename Number, class X, class Functor>
  void for_each_row(const Matrix<Number> &A, const X &x, const Functor &f, const List<int> &rows) const;

  /// Sets y = a A x + b y. Where b = 0, y is not read and may hold anything.
  template <typename Number>
  void multiply(Number a, const Matrix<Number> &A, const Vector<Number> &x, Number b, Vector<Number> &y) const;
  /// Sets r = b - A x.
  template <typename Number>
  void residual(const Matrix<Number> &A, const Vector<Number> &x, const Vector<Number> &b, Vector<Number> &r) const;

  /// Sets y = x, also between the precisions.
  template <typename From, typename To>
  void copy(const Vector<From> &x, Vector<To> &y) const;
  template <typename Number>
  void scale(Number a, Vector<Number> &x) const; ///< x = a x
  template <typename Number>
  void axpby(Number a, const Vector<Number> &x, Number b,
             Vector<Number> &y) const; ///< y = a x + b y; b = 0: y is not read

  template <typename Number>
  void dot(const Vector<Number> &x, const Vector<Number> &y, Scalars &s, int i) const; ///< s[i] = x . y
  template <typename Number>
  double dot(const Vector<Number> &x, const Vector<Number> &y) const; ///< returns x . y; waits
  /// Sets s[0] = ‖r‖₂ and s[1] = ‖b‖₂.
  template <typename Number>
  void norms(const Vector<Number> &r, const Vector<Number> &b, Scalars &s) const;

  /// Does the vectors' part of a step of Arnoldi's method in a loop on the device, which counts the vectors there. All
  /// pointers are to device memory. Sets z_k = z. Then w becomes (w - V Vᵀw)/‖·‖ with V = v_0, ..., v_k (classical
  /// Gram-Schmidt), once more where orthogonality was lost, and v_{k+1} = v = w. The coefficients are in h[0..k], the
  /// norm before scaling is in h[k + 1]; a zero norm leaves w unscaled. See Liebchen et al., Section 4.1.5, which this
  /// extends by re-orthogonalisation.
  void arnoldi(const ArnoldiVectors &vectors) const { device->arnoldi(vectors); }
  /// Does the work of the other `arnoldi` at the end of a loop's step, then asks the control; returns as `sums` does.
  template <class Control>
  bool arnoldi(const ArnoldiVectors &vectors, const Control &control, const LoopAnswer &answer) const
  {
    if constexpr (built_with_cuda)
      if (traits().kernels)
        {
          cuda::arnoldi(*device, vectors, control, answer);
          return true;
        }
    device->arnoldi(vectors);
    return control();
  }

  /// Replaces a dense row-major matrix a of n rows by its inverse; see DeviceInterface::invert.
  void invert(Vector<double> &a, int n) const;

private:
  explicit Device(std::shared_ptr<DeviceInterface> device)
    : device(std::move(device))
  {}

  template <typename Functor>
  void sums_on_host(int n, const Functor &f, double *result) const;

  std::shared_ptr<DeviceInterface> device;
};
} // namespace adamant

#include "algebra/matrix.h"
#include "algebra/vector.h"
