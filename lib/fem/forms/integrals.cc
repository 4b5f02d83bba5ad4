#include "fem/forms/integrals.h"
#include "base/row_ranges.h"

#include <cmath>
#include <vector>

namespace adamant
{
namespace
{
// Adds the integrals of f . φ_i over the points of a cell or a face.
template <int dim>
void integrate(const dealii::FEValuesBase<dim> &fe_values, const dealii::Function<dim> &f, double *local)
{
  const auto &fe = fe_values.get_fe();
  for (const unsigned int q : fe_values.quadrature_point_indices())
    {
      const auto          point = fe_values.quadrature_point(q);
      std::vector<double> value(f.n_components);
      for (unsigned int c = 0; c < f.n_components; ++c)
        value[c] = f.value(point, c) * fe_values.JxW(q);
      for (const unsigned int i : fe_values.dof_indices())
        if (const unsigned int c = fe.system_to_component_index(i).first; c < f.n_components)
          local[i] += value[c] * fe_values.shape_value(i, q);
    }
}
} // namespace

template <int dim>
Array<double> load_vector(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, const dealii::Quadrature<dim - 1> &face_quadrature,
                          const std::function<const dealii::Function<dim> &(unsigned int material)> &f,
                          const std::map<dealii::types::boundary_id, const dealii::Function<dim> *> &g)
{
  const int     per_cell = space.dofs_per_cell();
  Array<double> local(std::size_t(space.n_cells()) * per_cell);
  std::fill(local.begin(), local.end(), 0.);
  for_each_cell(
    space, mapping, quadrature, dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values,
    [&](int cell, const dealii::FEValues<dim> &fe_values) {
      integrate(fe_values, f(material_id(space.active_cells()[cell])), local.data() + std::size_t(cell) * per_cell);
    });
  if (!g.empty())
#pragma omp parallel
    {
      dealii::FEFaceValues<dim> face_values(mapping, space.element(), face_quadrature,
                                            dealii::update_values | dealii::update_quadrature_points |
                                              dealii::update_JxW_values);
#pragma omp for schedule(static)
      for (int k = 0; k < space.n_cells(); ++k)
        {
          const auto &cell = space.active_cells()[k];
          for (const unsigned int face : cell->face_indices())
            if (cell->at_boundary(face))
              if (const auto found = g.find(boundary_id(cell->face(face))); found != g.end())
                {
                  face_values.reinit(cell, face);
                  integrate(face_values, *found->second, local.data() + std::size_t(k) * per_cell);
                }
        }
    }
  Array<double> load(space.n_dofs());
  const auto    visit = [&](int cell, const auto &add) {
    for (int i = 0; i < per_cell; ++i)
      add(space.cell_dofs(cell)[i], local[std::size_t(cell) * per_cell + i]);
  };
  const VisitsOfRows visits(space.n_cells(), visit);
  for_row_ranges(space.n_dofs(), [&](int first, int end) {
    std::fill(load.begin() + first, load.begin() + end, 0.);
    visits.for_rows(first, end, [&](int dof, int, double value) { load[dof] += value; }); // in the order of the cells
  });
  return space.sum_local(std::move(load));
}

template decltype(load_vector<2>) load_vector<2>;
template decltype(load_vector<3>) load_vector<3>;

template <int dim>
double l2_error(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const dealii::Quadrature<dim> &quadrature, const double *owned, const dealii::Function<dim> &exact)
{
  const Array<double> u   = space.local_values(owned);
  const auto          add = [&](int cell, const dealii::FEValues<dim> &fe_values, double *square) {
    const auto         &fe   = fe_values.get_fe();
    const int          *dofs = space.cell_dofs(cell);
    std::vector<double> difference(exact.n_components);
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        for (unsigned int c = 0; c < exact.n_components; ++c)
          difference[c] = -exact.value(fe_values.quadrature_point(q), c);
        for (const unsigned int i : fe_values.dof_indices())
          if (const unsigned int c = fe.system_to_component_index(i).first; c < exact.n_components)
            difference[c] += u[dofs[i]] * fe_values.shape_value(i, q);
        double norm_square = 0;
        for (const double d : difference)
          norm_square += d * d;
        *square += norm_square * fe_values.JxW(q);
      }
  };
  return std::sqrt(integrate<1>(space, mapping, quadrature,
                                dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values,
                                add)[0]);
}

template decltype(l2_error<2>) l2_error<2>;
template decltype(l2_error<3>) l2_error<3>;
} // namespace adamant
