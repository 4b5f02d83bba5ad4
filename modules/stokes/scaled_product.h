#pragma once

#include "algebra/compressed_rows.h"

#include <memory>

namespace adamant
{
/// Rows of a sparse matrix, sorted by nodes of several columns each, in device memory. Node k of row i has start[i] <=
/// k < start[i + 1], and nodes ascend. Its `size` entries, stored or zero, are value[k size + c].
struct NodeRowsView
{
  int                     size;
  View<const EntryNumber> start;
  View<const int>         node;
  View<const double>      value;
};
class NodeRows
{
public:
  NodeRows(const Device &device, const CSRMatrix<double> &matrix, int node_size);
  NodeRowsView view() const { return {size, elements(start), elements(node), elements(value)}; }

private:
  int               size;
  List<EntryNumber> start;
  List<int>         node;
  List<double>      value;
};

/// Returns A with rows of the identity in place of its rows without entries, as for constrained unknowns. Matrices are
/// in host memory; they may be spread over ranks.
CSRMatrix<double> with_identity_rows(const CSRMatrix<double> &A);

/// The matrix K = A diag(d) Aᵀ on a device for a fixed A. Each d gives new values on the pattern of A Aᵀ, of which half
/// are computed. Rows of A without entries become rows of the identity, as for constrained unknowns. The matrices
/// belong to one rank, without ghosts.
class ScaledProduct
{
public:
  /// A is n x m, in host memory, and At its transpose; A is copied. The columns of A belong to nodes of `node_size`
  /// columns each, which speeds the product up.
  ScaledProduct(const Device &device, const CSRMatrix<double> &A, const CSRMatrix<double> &At, int node_size = 1);

  void update(const Vector<double> &d); ///< computes K for m numbers d

  const std::shared_ptr<const CSRMatrix<double>> &pattern() const { return host; } ///< the pattern of K, without values
  std::shared_ptr<const CompressedRows>           rows() const { return K; }

private:
  void list_entries();

  Device                                   device;
  NodeRows                                 A;
  std::shared_ptr<const CSRMatrix<double>> host;
  std::shared_ptr<CompressedRows>          K;
  List<int>                                entry, row, mirror; // see ScaledProductEntry
};

/// A functor for Device::for_each: it computes an entry of K on or above the diagonal, the product of two rows of A. It
/// goes through the nodes of both rows side by side.
struct ScaledProductEntry
{
  NodeRowsView  A;
  const double *d;
  const int    *entry, *mirror, *row; ///< numbers of the entry and of its mirror image, and the row
  const int    *column;               ///< of each entry of K
  double       *value;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    const int         i = row[k], j = column[entry[k]], size = A.size;
    EntryNumber       p = A.start[i], q = A.start[j];
    const EntryNumber p_end = A.start[i + 1], q_end = A.start[j + 1];
    double            sum = p == p_end && i == j ? 1. : 0.;
    while (p < p_end && q < q_end)
      {
        const int here = A.node[p], there = A.node[q];
        if (here == there)
          for (int c = 0; c < size; ++c)
            sum += A.value[p * size + c] * d[here * size + c] * A.value[q * size + c];
        p += here <= there;
        q += there <= here;
      }
    value[entry[k]] = value[mirror[k]] = sum;
  }
};
} // namespace adamant
