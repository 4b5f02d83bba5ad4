#include "fem/functions/error_estimate.h"

#include "fem/forms/cell_loop.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace adamant
{
namespace
{
// The derivatives of a cell's shape functions along the outward normal, at the quadrature points of a face or of one of
// its children. Cells that are translations of each other share them: they are computed anew where the shape changes,
// which from one cell to the next is rare.
template <int dim>
class NormalDerivatives
{
public:
  using Cell = typename LevelSpace<dim>::Cell;
  struct Table
  {
    int                 shape = -1;
    std::vector<double> derivative, JxW; // [q n + i], [q]
  };

  // `shapes` has for each active cell one of the same shape, or -1 where that is not known.
  NormalDerivatives(const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &fe, const Array<int> &shapes)
    : on_face(mapping, fe, dealii::QGauss<dim - 1>(fe.degree + 1), flags())
    , on_child(mapping, fe, dealii::QGauss<dim - 1>(fe.degree + 1), flags())
    , shapes(shapes)
    , tables(dealii::GeometryInfo<dim>::faces_per_cell * (whole + 1))
  {}

  const Table &operator()(const Cell &cell, unsigned int face, unsigned int child = whole)
  {
    Table     &table    = tables[face * (whole + 1) + child];
    const bool standard = cell->face_orientation(face) && !cell->face_flip(face) && !cell->face_rotation(face);
    const int  shape    = standard ? shapes[cell->active_cell_index()] : -1;
    if (shape >= 0 && shape == table.shape)
      return table;
    if (child == whole)
      on_face.reinit(cell, face);
    else
      on_child.reinit(cell, face, child);
    table.shape = shape;
    table.derivative.clear();
    const auto &values = child == whole ? static_cast<const dealii::FEFaceValuesBase<dim> &>(on_face) : on_child;
    table.JxW          = values.get_JxW_values();
    for (const unsigned int q : values.quadrature_point_indices())
      for (const unsigned int i : values.dof_indices())
        table.derivative.push_back(values.shape_grad(i, q) * values.normal_vector(q));
    return table;
  }

private:
  static constexpr unsigned int whole = dealii::GeometryInfo<dim>::max_children_per_face;
  static dealii::UpdateFlags    flags()
  {
    return dealii::update_gradients | dealii::update_normal_vectors | dealii::update_JxW_values;
  }

  dealii::FEFaceValues<dim>    on_face;
  dealii::FESubfaceValues<dim> on_child;
  const Array<int>            &shapes;
  std::vector<Table>           tables;
};

// By active numbers, -1 for other ranks' cells.
template <int dim>
Array<int> shapes_of_active_cells(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  const Array<int> of_cells =
    cells_of_same_shape(space, numbers_below(space.n_cells()), mapping, dealii::update_gradients);
  Array<int> shapes(space.triangulation().n_active_cells(), -1);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    shapes[space.active_cells()[cell]->active_cell_index()] = of_cells[cell];
  return shapes;
}

// The integrals over the faces of all owned cells of the squared jumps of u's derivatives along the normals.
template <int dim>
class Jumps
{
public:
  using Cell = typename LevelSpace<dim>::Cell;

  Jumps(const LevelSpace<dim> &space, const NodalVector &u, const dealii::ComponentMask &components)
    : space(space)
    , u(u)
    , components(components)
    , n_components(space.element().n_components())
    , serial(space.partition().n_mpi_processes() == 1)
    , of_faces(std::size_t(space.n_cells()) * n_faces, 0.)
  {}

  // For one thread.
  struct Work
  {
    Work(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &shapes)
      : here(mapping, space.element(), shapes)
      , there(mapping, space.element(), shapes)
      , dofs(space.dofs_per_cell())
    {}
    NormalDerivatives<dim>                       here, there;
    std::vector<dealii::types::global_dof_index> dofs;
    std::vector<double>                          jumps; // [q n_components + c]
  };

  // Treats first a cell's faces to coarser neighbours, and, for both cells, its faces to neighbours of higher index.
  void compute(int number, Work &work)
  {
    const Cell &cell = space.active_cells()[number];
    for (const unsigned int face : cell->face_indices())
      {
        if (cell->at_boundary(face))
          continue;
        const auto neighbor = cell->neighbor(face);
        if (cell->neighbor_is_coarser(face))
          {
            const auto [its_face, child] = cell->neighbor_of_coarser_neighbor(face);
            at(number, face) =
              square(cell, work.here(cell, face), Cell(neighbor), work.there(Cell(neighbor), its_face, child), work);
          }
        else if (!neighbor->has_children())
          {
            const Cell other(neighbor);
            const int  its_number = this->number(other);
            const bool lower      = cell->index() < other->index();
            if (!lower && its_number >= 0)
              continue;
            const unsigned int its_face = cell->neighbor_of_neighbor(face);
            const Table       &on_this = work.here(cell, face), &on_other = work.there(other, its_face);
            at(number, face) =
              lower ? square(cell, on_this, other, on_other, work) : square(other, on_other, cell, on_this, work);
            if (its_number >= 0)
              at(its_number, its_face) = at(number, face);
          }
      }
  }

  // Then, of each cell: all faces.
  double sum(int number, Work &work) const
  {
    const Cell &cell = space.active_cells()[number];
    double      sum  = 0;
    for (const unsigned int face : cell->face_indices())
      sum += !cell->at_boundary(face) && cell->neighbor(face)->has_children() ? sum_of_children(cell, face, work) :
                                                                                at(number, face);
    return sum;
  }

private:
  using Table                           = typename NormalDerivatives<dim>::Table;
  static constexpr unsigned int n_faces = dealii::GeometryInfo<dim>::faces_per_cell;

  double       &at(int number, unsigned int face) { return of_faces[std::size_t(number) * n_faces + face]; }
  const double &at(int number, unsigned int face) const { return of_faces[std::size_t(number) * n_faces + face]; }

  int number(const Cell &cell) const { return cell->is_locally_owned() ? space.cell_number(cell) : -1; }

  double sum_of_children(const Cell &cell, unsigned int face, Work &work) const
  {
    const unsigned int its_face = cell->neighbor_of_neighbor(face);
    double             sum      = 0;
    for (unsigned int k = 0; k < cell->face(face)->n_children(); ++k)
      {
        const Cell child(cell->neighbor_child_on_subface(face, k));
        const int  number = this->number(child);
        sum += number >= 0 ? at(number, its_face) :
                             square(child, work.there(child, its_face), cell, work.here(cell, face, k), work);
      }
    return sum;
  }

  // The normals have opposite signs. JxW is that of a, the finer one or that of lower index, where it differs.
  double square(const Cell &a, const Table &on_a, const Cell &b, const Table &on_b, Work &work) const
  {
    auto &jumps = work.jumps;
    jumps.assign(on_a.JxW.size() * n_components, 0.);
    add(a, on_a, work);
    add(b, on_b, work);
    double sum = 0;
    for (std::size_t k = 0; k < jumps.size(); ++k)
      if (components[k % n_components])
        sum += jumps[k] * jumps[k] * on_a.JxW[k / n_components];
    return sum;
  }

  void add(const Cell &cell, const Table &table, Work &work) const
  {
    const auto        &fe       = space.element();
    const unsigned int per_cell = space.dofs_per_cell();
    const int         *own      = serial ? space.cell_dofs(space.cell_number(cell)) : nullptr;
    if (!serial)
      with_dofs(cell, space.dof_handler())->get_dof_indices(work.dofs);
    for (unsigned int i = 0; i < per_cell; ++i)
      {
        const double       value = serial ? u.local_element(own[i]) : u(work.dofs[i]);
        const unsigned int c     = n_components == 1 ? 0 : fe.system_to_component_index(i).first;
        for (unsigned int q = 0; q < table.JxW.size(); ++q)
          work.jumps[q * n_components + c] += value * table.derivative[q * per_cell + i];
      }
  }

  const LevelSpace<dim>       &space;
  const NodalVector           &u;
  const dealii::ComponentMask &components;
  const unsigned int           n_components;
  const bool                   serial;
  Array<double>                of_faces; // by cell and face, but for those to finer neighbours
};

template <typename Cell>
double longest_edge(const Cell &cell)
{
  double longest = 0;
  for (unsigned int line = 0; line < cell->n_lines(); ++line)
    longest = std::max(longest, cell->line(line)->diameter());
  return longest;
}
} // namespace

// As deal.II's KellyErrorEstimator, which is serial for the most part.
template <int dim>
dealii::Vector<float> estimate_errors(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const double *owned, const dealii::ComponentMask &components)
{
  const Array<int>      shapes = shapes_of_active_cells(space, mapping);
  const NodalVector     u      = nodal_vector(space, owned);
  dealii::Vector<float> errors(shapes.size());
  Jumps<dim>            jumps(space, u, components);
#pragma omp parallel
  {
    typename Jumps<dim>::Work work(space, mapping, shapes);
#pragma omp for schedule(static)
    for (int k = 0; k < space.n_cells(); ++k)
      jumps.compute(k, work);
#pragma omp for schedule(static)
    for (int k = 0; k < space.n_cells(); ++k)
      {
        const auto &cell                  = space.active_cells()[k];
        errors[cell->active_cell_index()] = static_cast<float>(std::sqrt(jumps.sum(k, work) * cell->diameter() / 24.));
      }
  }
  return errors;
}

template <int dim>
dealii::Vector<float> gradient_indicators(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                          const double                                                    *owned,
                                          const std::function<double(const dealii::Point<dim> &, double)> &f,
                                          const dealii::ComponentMask                                     &components)
{
  const Array<double>       u  = space.local_values(owned);
  const auto               &fe = space.element();
  const dealii::QGauss<dim> quadrature(fe.degree + 1);
  const Array<int>          shapes =
    cells_of_same_shape(space, numbers_below(space.n_cells()), mapping, dealii::update_gradients);
  dealii::Vector<float> indicators(space.triangulation().n_active_cells());
  using Gradient = dealii::Point<dim>;
#pragma omp parallel
  {
    dealii::FEValues<dim> fe_values(mapping, fe, quadrature, dealii::update_gradients);
    std::vector<Gradient> gradients(fe.n_components());
    int                   shape = -1;
    double                h     = 0;
#pragma omp for schedule(static)
    for (int cell = 0; cell < space.n_cells(); ++cell)
      {
        if (shape != shapes[cell])
          {
            shape = shapes[cell];
            fe_values.reinit(space.active_cells()[shape]);
            h = longest_edge(space.active_cells()[shape]);
          }
        double largest = 0;
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            std::fill(gradients.begin(), gradients.end(), Gradient());
            for (const unsigned int i : fe_values.dof_indices())
              gradients[fe.system_to_component_index(i).first] +=
                u[space.cell_dofs(cell)[i]] * fe_values.shape_grad(i, q);
            for (unsigned int c = 0; c < fe.n_components(); ++c)
              if (components[c])
                {
                  const double value = std::abs(f(gradients[c], h));
                  largest            = std::max(largest, std::isnan(value) ? HUGE_VAL : value);
                }
          }
        indicators[space.active_cells()[cell]->active_cell_index()] =
          largest > std::numeric_limits<float>::max() ? HUGE_VALF : static_cast<float>(largest);
      }
  }
  return indicators;
}

template decltype(estimate_errors<2>)     estimate_errors<2>;
template decltype(estimate_errors<3>)     estimate_errors<3>;
template decltype(gradient_indicators<2>) gradient_indicators<2>;
template decltype(gradient_indicators<3>) gradient_indicators<3>;
} // namespace adamant
