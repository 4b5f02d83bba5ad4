#pragma once

#include "algebra/device_interface.h"
#include "algebra/host/ghosts.h"

#include <memory>
#include <string>

namespace adamant::host
{
/// Products of a CellMatrix on the host. They go row by row, from the cells around each node.
template <typename Number>
struct CellProducts
{
  explicit CellProducts(const CellMatrix &cells);
  void update(const CellMatrix &cells);

  /// Sets sums[i - first] = (A x)_i for first <= i < end, the rows of whole nodes.
  void multiply(int first, int end, const Number *x, Number *sums) const;

  int                  n_nodes[3];
  Number               local[24][24];
  Array<Number>        coefficients;
  Array<unsigned char> fixed;
};

/// Sparse matrix in sliced ELL format: `lanes` consecutive rows form a slice, which is stored by columns, so that a
/// product runs through the vector units. Short rows are padded with zeros. Products are bound by memory, so that
/// slices are stored in few bytes. Only the first row's columns are stored where the other rows' columns follow one by
/// one (nodes numbered along lines of a mesh). Else columns are 16-bit distances from the slice's lowest column where
/// these fit. The first row's values stand for all rows of the slice where they agree to rounding, as with constant
/// coefficients. Slices that repeat each other so, a few rows on, are stored once, and up to `slices_at_once` of them
/// are multiplied together. Before values are rounded to Number, a stored one thus differs from its own by at most
/// same_value<Number> times the largest of its row. (value_dictionary.h: this is 16 units in the last place.) Columns
/// may neither follow nor agree, as at the ends of lines and in transfer matrices. Entries are then put into windows of
/// 2 lanes columns, if no more windows are needed than the longest row has entries. There they are picked from two
/// registers (AVX-512; else one by one). Dense blocks of m x m (the components of a node follow each other) have slices
/// of `lanes` nodes, with a column for each block. Where padding would more than double the entries, the matrix is
/// stored in compressed rows instead and has no slices. A matrix by cells stores none of this.
template <typename Number>
class SparseMatrix : public MatrixStorage<Number>
{
public:
  static constexpr int lanes          = 64 / sizeof(Number); ///< one AVX-512 register, two of AVX2
  static constexpr int slices_at_once = 4;

  struct Slice
  {
    std::size_t column; ///< where the slice begins in narrow_column or column
    std::size_t value;  ///< where the slice begins in value
    int         lowest_column;
    int         width;   ///< entries a row, or blocks a node
    int         n_alike; ///< slices from this one on that repeat it; 0: it repeats the one before, and is stored there
    bool        contiguous; ///< only the first row's (node's) columns, less its number; each next row adds 1
    bool        narrow;     ///< 16-bit columns
    bool        windowed;   ///< 16-bit distances from the begin of the window of entries k; the begins come first
    bool        shared;     ///< each stored value holds for all rows
    bool        sorted;     ///< entries ascend by value, not by column
  };

  /// Makes the matrix `source`. `changing` points to its values where they will change in device memory, which is the
  /// host's; else it is null.
  SparseMatrix(const CSRMatrix<double> &source, int node_size, int n_threads, const double *changing);
  /// Makes a matrix by cells.
  SparseMatrix(const CellMatrix &source, int n_threads);

  void        multiply(Number a, const Number *x, Number b, Number *y) const override;
  void        update(const CSRMatrix<double> &source) override;
  void        update_values(const RowsView &rows) override;
  void        update_coefficients(const CellMatrix &source) override;
  std::size_t bytes() const override;
  std::string format() const override;
  bool        empty(int first, int end) const; ///< whether these rows, of whole slices, have no entries

  int                   block_rows = 1; ///< m of dense blocks; 1 where nodes have none
  int                   n_threads;
  Array<Slice>          slices;    ///< empty for compressed rows
  Array<std::int64_t>   row_start; ///< of compressed rows
  Array<int>            column;
  Array<unsigned short> narrow_column;
  Array<Number>         value;

  std::shared_ptr<CellProducts<Number>> cells; ///< null: the matrix has rows

  std::unique_ptr<Ghosts<Number>> ghosts;  ///< the entries in columns of other ranks; null: there are none
  mutable Array<Number>           scratch; ///< entries that a functor computes, before the product

private:
  void     take(const std::shared_ptr<const ExchangePlan> &plan, const RowsView &rows);
  void     arrange(const RowsView &source);
  void     compressed_rows(const RowsView &source);
  bool     refill(const RowsView &source);
  RowsView owned(RowsView rows) const;
  int      repeated(int slice) const;

  bool changing = false; ///< whether values change in device memory
  bool plain    = false; ///< whether each value is stored
};
} // namespace adamant::host
