#pragma once

#include "algebra/host/backend.h"
#include "base/csr_matrix.h"
#include "base/exchange_plan.h"
#if ADAMANT_WITH_CUDA
#include "algebra/cuda/backend.h"
#endif

#include <memory>
#include <vector>

namespace adamant
{
/// Sparse matrices on one pattern, packed for products that need all of them at once, in host memory. `lanes` consecutive
/// rows form a slice; entry e of its rows has the values value[((slice.value + e) n_matrices + m) lanes + row]: one stream,
/// no index twice. Columns: where the rows of a slice have the same offsets column - row (nodes numbered along the lines of a
/// mesh) the slice stores these, and zeros for neighbours that a row lacks; else a column for every entry.
struct MatrixBundle
{
  struct Slice
  {
    long value;    ///< first entry, in units of n_matrices * lanes values
    int  column;   ///< first of its columns, in units of lanes where they are stored for every row
    int  width;    ///< entries a row
    int  diagonal; ///< 1: offsets of all rows, 0: columns of every row
  };

  int           n_rows = 0, n_cols = 0, n_matrices = 0, lanes = 0;
  Array<Slice>  slices;
  Array<int>    offset; ///< of diagonal slices
  Array<int>    column; ///< of the others
  Array<double> value;

  std::size_t bytes() const ///< that a product reads of it
  {
    return slices.size() * sizeof(Slice) + (offset.size() + column.size()) * sizeof(int) +
           value.size() * sizeof(double);
  }
};

/// `matrices` have the same pattern; of those with ghosts the owned columns are taken. The same result for any number of threads.
MatrixBundle bundle(const std::vector<const CSRMatrix<double> *> &matrices, int lanes);

/// What the columns of other ranks' entries add to the products of a bundle, on one rank nothing.
struct GhostBundle
{
  std::shared_ptr<const ExchangePlan> plan;    ///< null on one rank
  Array<int>                          row;     ///< the rows that have such entries, ascending
  MatrixBundle                        entries; ///< row k is that part of row[k], columns are numbers of ghosts
};

/// All ranks have ghosts, or none.
GhostBundle ghost_bundle(const std::vector<const CSRMatrix<double> *> &matrices, int lanes);

/// The products of an explicit step for the Navier-Stokes equations, each one pass over its matrices (Liebchen et al., equations
/// (14), (15)). Velocities are stored by components: component c of node i is u[c n + i].
///
/// With A_d,ij = (φ_i, ∂_d φ_j), K the stiffness matrix times the viscosity and m the lumped mass, a momentum step is
///   u_new,c = u_c + dt (f_c - (Σ_d A_d (u_d u_c) + A_c p + K u_c) / m),
/// products of nodal values taken on the fly: 8 (dim + 1) bytes an entry and 16 (dim + 1) a node (f: 8 dim more). Where 1 / m
/// is set to zero (prescribed nodes, hanging nodes) and f with it, u stays. The divergence is g = Σ_d W_d u_d.
///
/// Of several ranks each has its owned rows and vectors of owned values, n of them. Sums over a row's entries have two parts, owned columns
/// and ghosts: while the values of ghosts travel, of all components in one message, all rows are computed without them, and
/// then the few rows that have ghosts are corrected. All ranks call the products together.
template <int dim, class Backend>
class FlowProducts;

template <int dim>
class FlowProducts<dim, HostBackend<double>>
{
public:
  using Backend = HostBackend<double>;
  using Vector  = Backend::Vector;

  /// `momentum_matrices` are K, A_1, ..., A_dim; `divergence_matrices` W_1, ..., W_dim, n_p x n.
  FlowProducts(const Backend &backend, const std::vector<const CSRMatrix<double> *> &momentum_matrices,
               const std::vector<const CSRMatrix<double> *> &divergence_matrices);

  /// `force` may be empty; u_new must not be u.
  void momentum(double dt, const Vector &u, const Vector &p, const Vector &inverse_mass, const Vector &force,
                Vector &u_new) const;
  void divergence(const Vector &u, Vector &g) const;

  std::size_t momentum_bytes() const; ///< read and written by a step without f, vectors once
  std::size_t divergence_bytes() const;

private:
  // A ghost's values: the components of u, and for the momentum p.
  struct Ghosts
  {
    GhostBundle           bundle;
    GhostExchange<double> exchange;
  };
  static std::unique_ptr<Ghosts> ghosts_of(const std::vector<const CSRMatrix<double> *> &matrices, int n_components);

  Backend                 backend;
  MatrixBundle            momentum_bundle, divergence_bundle;
  std::unique_ptr<Ghosts> momentum_ghosts, divergence_ghosts; // null on one rank
};

#if ADAMANT_WITH_CUDA
/// The same on the GPU.
template <int dim>
class FlowProducts<dim, CudaBackend<double>>
{
public:
  using Backend = CudaBackend<double>;
  using Vector  = Backend::Vector;

  FlowProducts(const Backend &backend, const std::vector<const CSRMatrix<double> *> &momentum_matrices,
               const std::vector<const CSRMatrix<double> *> &divergence_matrices);

  void momentum(double dt, const Vector &u, const Vector &p, const Vector &inverse_mass, const Vector &force,
                Vector &u_new) const;
  void divergence(const Vector &u, Vector &g) const;

  std::size_t momentum_bytes() const;
  std::size_t divergence_bytes() const;

private:
  struct Storage; // defined for .cu files
  Backend                  backend;
  std::shared_ptr<Storage> storage;
};
#endif
} // namespace adamant
