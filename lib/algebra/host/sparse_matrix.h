#pragma once

#include "algebra/device_interface.h"
#include "algebra/host/ghosts.h"

#include <memory>
#include <string>

namespace adamant
{
namespace host
{
template <typename Number>
struct CellProducts; // cell_products.h

/// Sparse matrix in sliced ELL format: `lanes` consecutive rows form a slice, stored by columns so that a product runs
/// through the vector units, short rows padded with zeros. Products are bound by memory, so slices are stored short.
/// Columns: only the first row's where those of the others follow one by one (nodes numbered along lines of a mesh),
/// else as 16-bit distances from the slice's lowest column where they fit. Values: once for all rows of the slice where
/// they agree to rounding, as with constant coefficients: the first row's stand for all. Slices that repeat each other
/// so, a few rows on, are stored once, up to `slices_at_once` of a group, and multiplied together. A stored value thus
/// differs from its own, before both are rounded to Number, by at most same_value<Number> (value_dictionary.h: 16 units
/// in the last place) times the largest of its row. Where columns neither follow nor agree, as at the ends of lines and
/// in transfer matrices, entries are put into windows of 2 lanes columns, if these are no more than the longest
/// row has entries, and picked from two registers there (AVX-512; else one by one). Dense blocks of m x m (the components of a node follow each
/// other) have slices of `lanes` nodes: a column for each block. Where padding would more than double the entries, the
/// matrix is stored in compressed rows instead and has no slices. A matrix by cells has nothing of all this.
template <typename Number>
class SparseMatrix : public MatrixStorage<Number>
{
public:
  static constexpr int lanes          = 64 / sizeof(Number); ///< one AVX-512 register, two of AVX2
  static constexpr int slices_at_once = 4;

  struct Slice
  {
    std::size_t column; ///< where the slice begins in narrow_column or column
    std::size_t value;  ///< where it begins in value
    int         lowest_column;
    int         width;   ///< entries a row, or blocks a node
    int         n_alike; ///< this one and those after it that repeat it; 0: it repeats the one before, as stored there
    bool        contiguous; ///< columns of the first row (node) only, less its number; each row has them shifted by 1
    bool        narrow;     ///< 16-bit columns
    bool        windowed;   ///< 16-bit distances from where the window of entries k begins; these come first
    bool        shared;     ///< one value for all rows
    bool        sorted;     ///< entries by value, not by column
  };

  /// `changing`: the values, if they will change in device memory, which is the host's.
  SparseMatrix(const CSRMatrix<double> &source, int node_size, int n_threads, const double *changing);
  /// By cells.
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

  std::shared_ptr<CellProducts<Number>> cells; ///< null: rows

  std::unique_ptr<Ghosts<Number>> ghosts;  ///< the entries in columns of other ranks; null: none
  mutable Array<Number>           scratch; ///< entries that a functor computes, before the product

private:
  void     take(const std::shared_ptr<const ExchangePlan> &plan, const RowsView &rows);
  void     arrange(const RowsView &source);
  void     compressed_rows(const RowsView &source);
  bool     refill(const RowsView &source);
  RowsView owned(RowsView rows) const;
  int      repeated(int slice) const;

  bool changing = false; ///< whether values change in device memory
  bool plain    = false; ///< each is stored
};
} // namespace host
} // namespace adamant
