#include "algebra/cuda/sparse/cells.cuh"

#include "algebra/functors/vector_functors.h"

namespace adamant::cuda
{
template <typename Number>
CellProducts<Number>::CellProducts(const Context &context, const CellMatrix &cells)
  : coefficients(context.memory_of_device(), cells.coefficients.size(), "matrices")
  , fixed(cells.fixed())
{
  const auto convert = [](const double(&from)[8], Number(&to)[8]) {
    std::copy_n(from, 8, to); // rounds
  };
  for (int c = 0; c < 3; ++c)
    {
      n_nodes[c] = cells.grid().n_cells[c] + 1;
      along[c]   = cells.grid().along[c];
      convert(cells.modes().same[c], modes.same[c]);
      for (int d = 0; d < 3; ++d)
        convert(cells.modes().other[c][d], modes.other[c][d]);
    }
  update(context, cells);
}

template <typename Number>
void CellProducts<Number>::update(const Context &context, const CellMatrix &cells)
{
  for_each(context, cells.coefficients.size(), Convert<double, Number>{cells.coefficients.data(), coefficients.data()});
}

// Of each candidate the work of the busiest multiprocessor: planes, one more at each end, and warps. A plane waits for
// memory and for other warps as if there were four more.
CellTiles tiles_for(const Context &context, const int (&n)[3], int blocks_at_once)
{
  const int at_once = context.n_multiprocessors() * blocks_at_once;
  CellTiles best{0, 0, 0};
  double    least = 0.;
  for (int height = 3; height <= 16; ++height)
    for (int width = 8; width * height <= most_cell_threads; ++width)
      {
        const int    columns = blocks_for(n[0], width - 2) * blocks_for(n[1], height - 2);
        const int    planes  = blocks_for(n[2], std::min(n[2], std::max(1, at_once / columns)));
        const int    rounds  = blocks_for(long(columns) * blocks_for(n[2], planes), at_once);
        const double cost    = rounds * (planes + 2.) * (blocks_for(width * height, 32) + 4.);
        if (best.width == 0 || cost < least)
          {
            least = cost;
            best  = {width, height, planes};
          }
      }
  return best;
}

template struct CellProducts<double>;
template struct CellProducts<float>;
} // namespace adamant::cuda
