#include "fem/meshes/mesh.h"

#include "fem/meshes/cell_list.h"
#include "fem/meshes/forest.h"

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/grid_refinement.h>
#include <deal.II/grid/grid_refinement.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold_lib.h>
#include <deal.II/grid/tria_accessor.h>

#include <omp.h>

namespace adamant
{
namespace
{
template <int dim>
using Mesh = dealii::parallel::distributed::Triangulation<dim>;

template <int dim>
void append_cells(const typename dealii::Triangulation<dim>::cell_iterator               &cell,
                  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> &list)
{
  if (cell->has_children())
    for (unsigned int c = 0; c < cell->n_children(); ++c)
      append_cells<dim>(cell->child(c), list);
  else if (const typename dealii::Triangulation<dim>::active_cell_iterator active(cell); active->is_locally_owned())
    list.push_back(active);
}
// The ids of the coarse cells, from which refined ones have theirs.
template <int dim>
std::set<dealii::types::manifold_id> curved_manifolds(const dealii::Triangulation<dim> &mesh)
{
  std::set<dealii::types::manifold_id> ids;
  for (const auto &cell : mesh.cell_iterators_on_level(0))
    {
      ids.insert(cell->manifold_id());
      for (unsigned int f = 0; f < cell->n_faces(); ++f)
        ids.insert(cell->face(f)->manifold_id());
      for (unsigned int l = 0; l < cell->n_lines(); ++l)
        ids.insert(cell->line(l)->manifold_id());
    }
  ids.erase(dealii::numbers::flat_manifold_id);
  return ids;
}

template <int dim>
using Transfinite = dealii::TransfiniteInterpolationManifold<dim>;

// That of another mesh. A copy would not do: deal.II's interpolation looks for cells that have it itself. Base is
// Transfinite for such a manifold, by which mappings of deal.II choose their way.
template <int dim, class Base>
class ManifoldOfOtherMesh : public Base
{
public:
  using Point  = dealii::Point<dim>;
  using Points = dealii::ArrayView<const Point>;

  explicit ManifoldOfOtherMesh(const dealii::Manifold<dim> &manifold)
    : manifold(manifold)
  {}
  std::unique_ptr<dealii::Manifold<dim>> clone() const override
  {
    return std::make_unique<ManifoldOfOtherMesh>(manifold);
  }
  Point get_new_point(const Points &points, const dealii::ArrayView<const double> &weights) const override
  {
    return manifold.get_new_point(points, weights);
  }
  void get_new_points(const Points &points, const dealii::Table<2, double> &weights,
                      dealii::ArrayView<Point> new_points) const override
  {
    manifold.get_new_points(points, weights, new_points);
  }
  Point get_intermediate_point(const Point &a, const Point &b, double weight) const override
  {
    return manifold.get_intermediate_point(a, b, weight);
  }

private:
  const dealii::Manifold<dim> &manifold;
};

// Makes the mesh of a forest anew from the coarse cells. The way of deal.II from one refined mesh to the next takes a
// pass for each level by which cells change, and these are many where cells change ranks.
template <int dim>
void become(Mesh<dim> &mesh, forest::Forest<dim> *forest)
{
  if (mesh.n_global_levels() > 1)
    {
      dealii::Triangulation<dim> coarse;
      copy_coarse_cells(mesh, coarse);
      mesh.clear();
      copy_coarse_cells(coarse, mesh);
      forest->connectivity = mesh.get_p4est()->connectivity; // the old one is gone
    }
  if (auto *own = dynamic_cast<ForestMesh<dim> *>(&mesh))
    own->refine_to(forest);
  else
    mesh.load(forest);
  mesh.signals.post_distributed_load(); // which deal.II sends for files alone
}
} // namespace

template <int dim>
std::unique_ptr<dealii::Triangulation<dim>> create_mesh(const Communicator &ranks, bool distributed)
{
  if (ranks.size() == 1 && !distributed)
    return std::make_unique<dealii::Triangulation<dim>>();
  return std::make_unique<ForestMesh<dim>>(ranks.size() > 1 ? ranks.handle() : MPI_COMM_SELF);
}

template <int dim>
bool is_distributed(const dealii::Triangulation<dim> &mesh)
{
  return dynamic_cast<const Mesh<dim> *>(&mesh) != nullptr;
}

template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
owned_cells(const dealii::Triangulation<dim> &mesh)
{
  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> list;
  if (const auto *distributed = dynamic_cast<const Mesh<dim> *>(&mesh))
    for (const auto index : distributed->get_p4est_tree_to_coarse_cell_permutation())
      append_cells<dim>(typename dealii::Triangulation<dim>::cell_iterator(&mesh, 0, static_cast<int>(index)), list);
  else
    for (const auto &cell : mesh.active_cell_iterators())
      list.push_back(cell);
  return list;
}

template <int dim>
std::vector<signed char> flags_of(const dealii::Triangulation<dim> &mesh)
{
  std::vector<signed char> flags;
  for (const auto &cell : owned_cells(mesh))
    flags.push_back(cell->refine_flag_set() ? 1 : cell->coarsen_flag_set() ? -1 : 0);
  return flags;
}

template <int dim>
std::set<dealii::types::boundary_id> boundary_ids(const dealii::Triangulation<dim> &mesh)
{
  std::vector<std::set<dealii::types::boundary_id>> of_threads(omp_get_max_threads());
  for (unsigned int level = 0; level < mesh.n_levels(); ++level)
    for_each_cell_on_level(mesh, level, [&](const auto &cell) {
      if (!cell->has_children() && !cell->is_artificial())
        for (unsigned int f = 0; f < cell->n_faces(); ++f)
          if (cell->at_boundary(f))
            of_threads[omp_get_thread_num()].insert(cell->face(f)->boundary_id());
    });
  for (const auto &found : of_threads)
    of_threads[0].insert(found.begin(), found.end());
  auto ids = dealii::Utilities::MPI::compute_set_union(of_threads[0], mesh.get_communicator());
  for (const auto &pair : periodic_faces(mesh, [](const auto &cell) { return cell; }))
    for (const int side : {0, 1})
      ids.erase(boundary_id(pair.cell[side]->face(pair.face_idx[side])));
  return ids;
}

template <int dim>
void copy_manifolds(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh)
{
  for (const auto id : curved_manifolds(from))
    if (dynamic_cast<const Transfinite<dim> *>(&from.get_manifold(id)) != nullptr)
      {
        Transfinite<dim> interpolation; // each is bound to the coarse cells of one mesh
        interpolation.initialize(mesh);
        mesh.set_manifold(id, interpolation);
      }
    else
      mesh.set_manifold(id, from.get_manifold(id));
  using Cell = typename dealii::Triangulation<dim>::cell_iterator;
  if (const auto pairs = periodic_faces(from, [&](const auto &cell) { return Cell(&mesh, 0, cell->index()); });
      !pairs.empty())
    mesh.add_periodicity(pairs);
}

template <int dim>
void copy_coarse_cells(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh)
{
  const auto [vertices, cells, faces] = dealii::GridTools::get_coarse_mesh_description(from);
  mesh.create_triangulation(vertices, cells, faces);
  copy_manifolds(from, mesh);
}

template <int dim>
void share_manifolds(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh)
{
  for (const auto id : curved_manifolds(from))
    if (const auto &manifold = from.get_manifold(id); dynamic_cast<const Transfinite<dim> *>(&manifold) != nullptr)
      mesh.set_manifold(id, ManifoldOfOtherMesh<dim, Transfinite<dim>>(manifold));
    else
      mesh.set_manifold(id, ManifoldOfOtherMesh<dim, dealii::Manifold<dim>>(manifold));
}

template <int dim>
void refine_global(dealii::Triangulation<dim> &mesh, unsigned int times)
{
  auto *distributed = dynamic_cast<Mesh<dim> *>(&mesh);
  if (distributed == nullptr || times == 0)
    return mesh.refine_global(times);
  const auto refined = forest::copy<dim>(distributed->get_p4est());
  for (unsigned int i = 0; i < times; ++i)
    {
      forest::refine_all<dim>(refined.get());
      forest::partition<dim>(refined.get());
    }
  become<dim>(*distributed, refined.get());
}

template <int dim>
void execute_refinement(dealii::Triangulation<dim> &mesh)
{
  auto *distributed = dynamic_cast<Mesh<dim> *>(&mesh);
  if (distributed == nullptr)
    return mesh.execute_coarsening_and_refinement();
  mesh.prepare_coarsening_and_refinement();
  const auto flags = flags_of(mesh);
  for (const auto &cell : mesh.active_cell_iterators())
    set_flag(cell, 0);
  const auto refined = forest::copy<dim>(distributed->get_p4est());
  forest::refine_and_coarsen<dim>(refined.get(), flags);
  forest::partition<dim>(refined.get());
  become<dim>(*distributed, refined.get());
}

template <int dim>
void refine_and_coarsen(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                        double coarsen)
{
  if (auto *distributed = dynamic_cast<Mesh<dim> *>(&mesh))
    dealii::parallel::distributed::GridRefinement::refine_and_coarsen_fixed_number(*distributed, indicators, refine,
                                                                                   coarsen);
  else
    dealii::GridRefinement::refine_and_coarsen_fixed_number(mesh, indicators, refine, coarsen);
  execute_refinement(mesh);
}

#define INSTANTIATE(dim)                                                                                   \
  template std::unique_ptr<dealii::Triangulation<dim>> create_mesh(const Communicator &, bool);            \
  template bool                                        is_distributed(const dealii::Triangulation<dim> &); \
  template std::vector<dealii::Triangulation<dim>::active_cell_iterator> owned_cells(                      \
    const dealii::Triangulation<dim> &);                                                                   \
  template std::vector<signed char>             flags_of(const dealii::Triangulation<dim> &);              \
  template std::set<dealii::types::boundary_id> boundary_ids(const dealii::Triangulation<dim> &);          \
  template void copy_manifolds(const dealii::Triangulation<dim> &, dealii::Triangulation<dim> &);          \
  template void copy_coarse_cells(const dealii::Triangulation<dim> &, dealii::Triangulation<dim> &);       \
  template void share_manifolds(const dealii::Triangulation<dim> &, dealii::Triangulation<dim> &);         \
  template void refine_global(dealii::Triangulation<dim> &, unsigned int);                                 \
  template void execute_refinement(dealii::Triangulation<dim> &);                                          \
  template void refine_and_coarsen(dealii::Triangulation<dim> &, const dealii::Vector<float> &, double, double);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
