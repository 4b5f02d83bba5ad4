#pragma once

#include "algebra/host/row_products.h"

#include <cstdint>
#include <memory>
#include <string>

namespace adamant::host
{
class SliceRows;

struct Slice
{
  std::size_t column; ///< where the slice begins in narrow_column or column
  std::size_t value;  ///< where the slice begins in value
  int         lowest_column;
  int         width;      ///< entries a row, or blocks a node
  int         n_alike;    ///< slices from this one on that repeat it; 0: it repeats the one before, and is stored there
  bool        contiguous; ///< only the first row's (node's) columns, less its number; each next row adds 1
  bool        narrow;     ///< 16-bit columns
  bool        windowed;   ///< 16-bit distances from the begin of the window of entries k; the begins come first
  bool        shared;     ///< each stored value holds for all rows
  bool        reordered;  ///< has rows of its group of group_slices slices in the order of `order`
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
/// registers (AVX-512; else one by one). Where rows of different lengths alternate, as with quadratic elements on
/// unstructured meshes, the rows of group_slices slices are ordered by length, which saves padding. A row that is much
/// longer than all others of its group still takes the memory of `lanes` rows. Dense blocks of m x m (the components of
/// a node follow each other) have slices of `lanes` nodes, with a column for each block. New values keep the format
/// where they can, so values that come to agree later stay apart.
template <typename Number>
class SparseMatrix : public RowProducts<Number>
{
public:
  using RowProducts<Number>::lanes, RowProducts<Number>::slices_at_once, RowProducts<Number>::group_slices,
    RowProducts<Number>::block_rows, RowProducts<Number>::n_threads, RowProducts<Number>::ghosts;

  /// Makes the matrix `source`. `changing` points to its rows where their values will change in device memory, which is
  /// the host's; else it is null.
  SparseMatrix(const CSRMatrix<double> &source, int node_size, int n_threads, const RowsView *changing);

  void        products(int first, int end, const Number *x, Number *sums) const override; ///< in slice_products.cc
  bool        empty(int first, int end) const override;
  void        update(const CSRMatrix<double> &source) override;
  void        update_values(const RowsView &rows) override;
  std::size_t bytes() const override;
  std::string format() const override;

  Array<Slice>          slices;
  Array<int>            column;
  Array<unsigned short> narrow_column;
  Array<Number>         value;
  Array<unsigned char>  order; ///< of each place in a reordered slice, the node, counted from the group's first

private:
  void     take(const std::shared_ptr<const ExchangePlan> &plan, const RowsView &rows);
  void     arrange(const RowsView &source);
  bool     refill(const RowsView &source);
  void     read(int slice, int n_cols, SliceRows &rows) const;
  RowsView without_ghosts(RowsView rows);

  bool          changing = false; ///< whether values change in device memory
  bool          plain    = false; ///< whether each value is stored
  std::uint64_t pattern  = 0;     ///< a fingerprint of it
};
} // namespace adamant::host
