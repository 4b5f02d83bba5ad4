#include "cells/cells.cuh"

#include "cells/clusters.cuh"

#include "algebra/functors/vector_functors.h"
#include "multigrid/smoothers/functors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>

namespace adamant::cuda
{
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

namespace
{
// A grid goes plane by plane, a tree by clusters.
template <typename Number, class Kind_>
struct View
{
  using Kind = Kind_;

  CellView<Number, Kind::n_coefficients> grid;
  TreeView<Number, Kind>                 tree;
  bool                                   is_grid;
  Exchange<Number>                      *exchange; // null on one rank
};

// The kernels of a matrix by cells, by the types of the functor and of the x that is multiplied.
template <typename Number, class Kind>
using Kernels = std::map<std::pair<std::type_index, std::type_index>,
                         void (*)(const Context &, const View<Number, Kind> &, const RowVisit &)>;

template <typename Number, class Kind, class Gather, class Functor>
void run(const Context &context, const View<Number, Kind> &A, const RowVisit &call)
{
  const auto &x = *static_cast<const Gather *>(call.x);
  const auto &f = *static_cast<const Functor *>(call.f);
  if constexpr (Kind::n_components == 3)
    if (A.is_grid)
      return for_each_row_by_cells(context, call.name, A.grid, x, f);
  for_each_row_by_clusters(context, call.name, A.tree, A.exchange, x, f);
}

template <class Gather, class... Functors, typename Number, class Kind>
void add(Kernels<Number, Kind> &kernels)
{
  (kernels.emplace(std::pair(std::type_index(typeid(Functors)), std::type_index(typeid(Gather))),
                   run<Number, Kind, Gather, Functors>),
   ...);
}

// The products of solvers, and the steps of the smoothers that need the diagonal of A alone.
template <typename Number, class Kind>
Kernels<Number, Kind> make_kernels()
{
  Kernels<Number, Kind> kernels;
  add<Entries<Number>, Product<Number>, Addition<Number>, Residual<Number>, JacobiStep<Number>>(kernels);
  if constexpr (Kind::n_components > 1)
    add<Entries<Number>, NodeJacobiStep<Number>>(kernels);
  if constexpr (std::is_same_v<Number, double>)
    add<Entries<float>, Product<double>>(kernels);
  return kernels;
}

template <typename Number, class Kind>
class CellStorage : public RowlessStorage<Number>
{
  static constexpr int n_coefficients = Kind::n_coefficients;

public:
  CellStorage(std::shared_ptr<Context> context_, const CellMatrix &source)
    : context(std::move(context_))
    , n_places(source.mesh().is_grid() ? source.mesh().n_nodes() : source.mesh().n_cells())
    , coefficients(context->memory_of_device(), std::size_t(n_coefficients) * n_places, "matrices")
    , fixed(source.fixed())
    , cell_at(source.cell_at())
    , clusters(source.clusters())
  {
    const auto &mesh = source.mesh();
    this->n_rows     = source.n_rows();
    this->n_cols     = mesh.n_unknowns();
    this->node_size  = Kind::n_components;
    if (mesh.unknowns)
      exchange = std::make_shared<Exchange<Number>>(context, mesh.unknowns);
    view.is_grid = mesh.is_grid();
    view.tree    = {clusters.view(), mesh.n_own_nodes(), {}, {}, modes_of<Number, Kind>(mesh)};
    if constexpr (Kind::n_components == 3)
      view.grid = {{}, {}, {}, fixed.data(), view.tree.modes};
    view.exchange = exchange.get();
    for (int d = 0; d < 3; ++d)
      {
        view.grid.n_nodes[d] = mesh.n_cells_of_grid[d] + 1;
        view.grid.along[d] = view.tree.along[d] = mesh.along[d];
      }
    for (int i = 0; i < n_coefficients; ++i)
      view.grid.coefficients[i] = view.tree.coefficients[i] = of_places(i);
    update_from(source);
  }

  void multiply(Number a, const Number *x, Number b, Number *y) const override
  {
    if (b == Number(1))
      for_each_row(*context, *this, Entries<Number>{x}, Addition<Number>(a, y));
    else
      for_each_row(*context, *this, Entries<Number>{x}, Product<Number>(a, b, y));
  }
  void update_from(const RowlessMatrix &source) final
  {
    for (int i = 0; i < n_coefficients; ++i)
      {
        const double *from = dynamic_cast<const CellMatrix &>(source).coefficients(i).data();
        if (view.is_grid)
          for_each(*context, n_places, ToFirstNodes<Number>{cell_at.data(), from, of_places(i)});
        else
          for_each(*context, n_places, Convert<double, Number>{from, of_places(i)});
      }
  }
  void visit(const RowVisit &call) const override
  {
    static const auto kernels = make_kernels<Number, Kind>();
    const auto        kernel  = kernels.find({call.functor, call.gather});
    if (kernel == kernels.end())
      throw RunError("a matrix by cells has no kernel for " + std::string(call.name.function) +
                     ": does a smoother need single rows? Other functors need a line in modules/cells/cells.cu");
    kernel->second(*context, view, call);
  }
  std::size_t bytes() const override
  {
    return coefficients.size() * sizeof(Number) + fixed.bytes() + cell_at.bytes() + clusters.bytes();
  }
  std::string format() const override { return cells_format(this->n_rows, bytes()); }

private:
  Number *of_places(int coefficient) { return coefficients.data() + std::size_t(coefficient) * n_places; }

  std::shared_ptr<Context> context;
  int                      n_places; // nodes of a grid, else cells
  DeviceArray<Number>      coefficients;
  List<unsigned char>      fixed;
  List<int>                cell_at;
  ClusterLists             clusters;
  View<Number, Kind>       view;

  std::shared_ptr<Exchange<Number>> exchange;
};
} // namespace

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cell_storage(DeviceInterface &device, const CellMatrix &source)
{
  auto context = static_cast<Context &>(device).shared_from_this();
  return with_kind(source.mesh(), [&](auto kind) -> std::shared_ptr<MatrixStorage<Number>> {
    return std::make_shared<CellStorage<Number, decltype(kind)>>(std::move(context), source);
  });
}

int shared_memory(const DeviceInterface &device)
{
  int       bytes  = 0;
  const int number = static_cast<const Context &>(device).device();
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number), "cudaDeviceGetAttribute",
        number);
  return bytes;
}

template std::shared_ptr<MatrixStorage<double>> make_cell_storage(DeviceInterface &, const CellMatrix &);
template std::shared_ptr<MatrixStorage<float>>  make_cell_storage(DeviceInterface &, const CellMatrix &);
} // namespace adamant::cuda
