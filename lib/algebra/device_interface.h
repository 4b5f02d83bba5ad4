#pragma once

#include "base/communicator.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "base/host_device.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

// The interfaces behind the handles Device, Vector, Matrix, Scalars, Graph and Snapshot, which host/ and cuda/
// implement. Nothing outside lib/algebra calls them.

namespace adamant
{
/// The formats of sparse matrices on a GPU.
enum class MatrixFormat
{
  compressed, ///< the library's own: sliced, with stencils, 16-bit columns and dictionaries of values where they serve
  cusparse    ///< compressed rows, products by cuSPARSE, dense products by cuBLAS
};

/// The properties of a device by which code above it decides. Each decision asks for the property that it depends on,
/// not for the kind of the device.
struct DeviceTraits
{
  const char *backend;            ///< name of the kind, as --backend takes it: host or cuda
  bool        kernels;            ///< whether functors run as kernels of namespace cuda, not as loops of the host
  bool        separate_memory;    ///< whether device memory is counted, and only operations and copies reach it
  bool        beside_host;        ///< whether operations may go on when they have returned, so that the host works, too
  bool        waits_for_launches; ///< whether a launch takes as long as a small operation, so that recording pays
  bool        many_threads;       ///< whether thousands of threads share the work, so that memory alone bounds products
  unsigned int
    cells_for_a_rank; ///< bilinear cells that are worth a rank; with fewer, messages cost more than they save
};
inline constexpr DeviceTraits traits_of_host{"host", false, false, false, false, false, 1000};
inline constexpr DeviceTraits traits_of_gpu{"cuda", true, true, true, true, true, 200000};

class RowlessMatrix; // rowless_matrix.h

/// A matrix with n_rows rows of this rank, in the memory and the format of a device.
template <typename Number>
class MatrixStorage
{
public:
  virtual ~MatrixStorage() = default;

  virtual void multiply(Number a, const Number *x, Number b,
                        Number *y) const = 0; ///< y = a A x + b y; b = 0: y is not read
  /// Takes new values on the present pattern, from host memory: of a sparse matrix, or row-major of a dense one.
  /// @{
  virtual void update(const CSRMatrix<double> &) { throw RunError("a dense matrix takes no sparse values"); }
  virtual void update_dense(const Array<double> &) { throw RunError("a sparse matrix takes no dense values"); }
  /// @}
  /// Takes new values from device memory: of a sparse matrix that was made for values that change there, or row-major
  /// of a dense one.
  /// @{
  virtual void update_values(const RowsView &)
  {
    throw RunError("new values on the device for a matrix that has them from the host");
  }
  virtual void update_dense_values(const double *) { throw RunError("a sparse matrix takes no dense values"); }
  /// @}
  /// Takes the values that `source` has now; for a matrix that was made of it.
  virtual void update_from(const RowlessMatrix & /*source*/)
  {
    throw RunError("a matrix of rows takes no values of one that stores none");
  }
  virtual std::size_t bytes() const  = 0; ///< of device memory
  virtual std::string format() const = 0; ///< description in words

  int n_rows = 0, n_cols = 0;
  int node_size = 1; ///< rows that belong to one node
};

/// Results of reductions, in the memory where the device computes them, with a copy on the host that is valid after a
/// wait.
struct ScalarStorage
{
  int                   n         = 0;
  double               *on_device = nullptr, *on_host = nullptr;
  std::shared_ptr<void> owner;
};

/// A recorded sequence of operations.
class GraphStorage
{
public:
  virtual ~GraphStorage()                   = default;
  virtual void   replay()                   = 0;
  virtual int    n_operations() const       = 0; ///< launches that the graph replaces; on the host 0
  virtual double seconds(int n_samples = 5) = 0; ///< median time of a replay on the device
};

/// Tells where a loop's control leaves its answer on a GPU. If `on_host` is not null, the answer goes there, to host
/// memory. Else it goes to `node`, unless that is 0: the handle of a graph's node that repeats the loop's body.
/// `again`, unless 0, is the handle of the node that begins another cycle.
struct LoopAnswer
{
  unsigned long long node    = 0;
  int               *on_host = nullptr;
  unsigned long long again   = 0;
};

/// Operations that are repeated for as long as a control says so.
class LoopStorage
{
public:
  virtual ~LoopStorage() = default;
  virtual void run()     = 0;
  /// Takes the steps of the last run, as a guess for the next runs. They may take so many steps without asking in
  /// between, so that a step behind the last one has to change nothing that counts.
  virtual void expect(int /*steps*/) {}
  /// Returns whether the device repeats the loop by itself, so that `run` only launches it.
  virtual bool repeats_itself() const { return false; }
};

/// The vectors of Arnoldi's method, whose number only the device knows. They come in tables of addresses in device
/// memory.
struct ArnoldiVectors
{
  int            n;                             ///< entries of each vector
  int            most;                          ///< bound of *k + 1
  const int     *k;                             ///< device memory
  double *const *basis;                         ///< v_0, v_1, ...
  double *const *directions;                    ///< z_0, z_1, ...
  const double  *z;                             ///< becomes z_k; may be z_k itself
  double        *w;                             ///< the vector to be orthonormalised
  double        *v;                             ///< gets v_{k+1}, too, where not null; may be v_{k+1} itself
  double        *h;                             ///< 2 (most + 1) numbers, the first *k + 2 for the result
  const float   *z_in_float          = nullptr; ///< replaces z where not null; z_k is then in directions_in_float
  float *const  *directions_in_float = nullptr;
  float         *v_in_float          = nullptr; ///< gets v_{k+1}, rounded, where not null
  const int     *ended               = nullptr; ///< where not null: a GPU does nothing if *ended is not 0
  int           *k_of_step           = nullptr; ///< where not null, gets *k, or -1 where nothing happens
};

/// Returns whether w, the vector that a Gram-Schmidt step against V has left, is to be made orthogonal to V once more.
/// The arguments are the sum of squares of the second inner products Vᵀ w, and the square of w. Products of 1e-12 of
/// the length of w change the results of Krylov methods by no more than that.
ADAMANT_HOST_DEVICE inline bool orthogonality_is_lost(double square_of_products, double square_of_w)
{
  return square_of_products > 1e-24 * square_of_w;
}

/// The storage of a Mark. On the host all operations are done when they return.
class MarkStorage
{
public:
  virtual ~MarkStorage() = default;
  virtual void take() {}
  virtual void wait() const {}
};

/// Values on their way to the host.
class SnapshotStorage
{
public:
  virtual ~SnapshotStorage()           = default;
  virtual double       *on_device()    = 0; ///< memory of the n values that `send` sends
  virtual void          send()         = 0; ///< sends the values that operations have put there so far
  virtual const double *values() const = 0; ///< waits for the values; another thread may call it
};

/// Makes the matrices of a device in one precision; `row_major` is in host memory.
template <typename Number>
class Operations
{
public:
  virtual ~Operations() = default;

  /// Returns a sparse matrix with the pattern of `source`. Where `changing` is null, it has the values of `source`.
  /// Else `changing` points to the rows in device memory, whose values will change there. The format that suits them
  /// stays while new values have that structure; then it is given up for one that stores each value.
  virtual std::shared_ptr<MatrixStorage<Number>> create_matrix(const CSRMatrix<double> &source, int node_size,
                                                               const RowsView *changing) const                    = 0;
  virtual std::shared_ptr<MatrixStorage<Number>> create_dense_matrix(const Array<double> &row_major, int n) const = 0;
};

/// The interface of a device: host threads or a GPU.
class DeviceInterface
{
public:
  virtual ~DeviceInterface() = default;

  virtual const DeviceTraits &traits() const       = 0;
  virtual std::string         name() const         = 0;
  virtual int                 n_threads() const    = 0; ///< threads of the host's loops
  virtual const Communicator &communicator() const = 0;
  virtual MatrixFormat        matrix_format() const { return MatrixFormat::compressed; } ///< of sparse matrices
  virtual std::string         exchange() const              = 0; ///< how ranks exchange, in words; empty on one rank
  virtual double              copy_bandwidth()              = 0; ///< bytes read and written per second
  virtual std::map<std::string, std::size_t> memory() const = 0; ///< bytes in use, by purpose
  virtual std::size_t                        peak_memory() const = 0;

  /// Returns memory whose bytes are zero; `purpose` is its name in memory().
  virtual std::shared_ptr<void> allocate(std::size_t bytes, const char *purpose)                   = 0;
  virtual void                  clear(void *memory, std::size_t bytes)                             = 0;
  virtual void                  upload(void *to, const void *on_host, std::size_t bytes)           = 0; ///< waits
  virtual void                  download(void *on_host, const void *from, std::size_t bytes) const = 0; ///< waits
  virtual void                  synchronize() const                                                = 0;

  virtual void                             outdate_graphs() {} ///< see Device
  virtual ScalarStorage                    create_scalars(int n)                           = 0;
  virtual std::shared_ptr<SnapshotStorage> create_snapshot(int n)                          = 0;
  virtual std::shared_ptr<MarkStorage>     create_mark()                                   = 0;
  virtual std::shared_ptr<GraphStorage>    record(const std::function<void()> &operations) = 0;
  virtual void run_together(const std::function<void()> &operations) { operations(); } ///< see Device
  virtual void launch_waiting() {}                                                     ///< see Device
  virtual int  n_recorded() const { return 0; }                                        ///< graphs of run_together

  /// A function that ends by asking a loop's control; on the host it returns the answer.
  using Asking = std::function<bool(const LoopAnswer &)>;
  /// The operations between the cycles of a loop that repeats itself; a loop without `again` has one cycle. `again`
  /// prepares another cycle. `tell` tells the graph whether the loop goes on or begins again. `finish`, where there is
  /// one, takes the place of `tell` behind the steps of a cycle.
  struct Cycles
  {
    std::function<void()> again;
    Asking                finish, tell;
  };
  /// Returns a loop that runs `first` and, for as long as the answer says so, `step`. A step that is recordable becomes
  /// part of a graph.
  virtual std::shared_ptr<LoopStorage> create_loop(const Asking &first, const Asking &step, const Cycles &cycles,
                                                   bool recordable) = 0;

  /// Returns a scalar, for results that are fetched at once.
  const ScalarStorage &own_scalar()
  {
    if (own.n == 0)
      own = create_scalars(1);
    return own;
  }

  /// Replaces a dense row-major n x n matrix in device memory by its inverse, by Gauss-Jordan elimination with partial
  /// pivoting. A singular matrix gives values that are no numbers.
  virtual void invert(double *a, int n) = 0;

  virtual void arnoldi(const ArnoldiVectors &vectors) const = 0; ///< see Device

  virtual const Operations<double> &operations(double) const = 0;
  virtual const Operations<float>  &operations(float) const  = 0;

private:
  ScalarStorage own;
};

/// True where the library was built with its CUDA part.
inline constexpr bool built_with_cuda = ADAMANT_WITH_CUDA;

/// Return a device. make_cuda_device throws RunError where there is no usable GPU or no CUDA part.
std::shared_ptr<DeviceInterface> make_host_device(int n_threads, const Communicator &ranks);
std::shared_ptr<DeviceInterface> make_cuda_device(const Communicator &ranks, bool share_devices, MatrixFormat format);

/// The kernels of functors on a GPU. They are defined in algebra/functors.cuh, and a .cu file instantiates them for
/// each functor.
namespace cuda
{
template <typename Functor>
void for_each(const DeviceInterface &device, int n, const Functor &f);
template <typename Functor>
void for_each_by_lanes(const DeviceInterface &device, int n, const Functor &f);
template <typename Functor>
void sums(const DeviceInterface &device, int n, const Functor &f, double *result);
template <typename Functor, class Control>
void sums(const DeviceInterface &device, int n, const Functor &f, double *result, const Control &control,
          const LoopAnswer &answer);
template <class F, class G, class Control>
void sums(const DeviceInterface &device, int n, const F &f, const G &g, double *result, const Control &control,
          const LoopAnswer &answer);
template <class Control>
void arnoldi(const DeviceInterface &device, const ArnoldiVectors &vectors, const Control &control,
             const LoopAnswer &answer);
template <class Control>
void decide(const DeviceInterface &device, const Control &control, const LoopAnswer &answer);
template <class Control>
void tell(const DeviceInterface &device, const Control &control, const LoopAnswer &answer);
template <typename Number, class Gather, class Functor>
void for_each_row(const DeviceInterface &device, const MatrixStorage<Number> &A, const Gather &x, const Functor &f);
} // namespace cuda
} // namespace adamant
