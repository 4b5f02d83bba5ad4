#include "solid/pressed_faces.h"

#include "base/exceptions.h"
#include "fem/forms/cell_loop.h"
#include "fem/forms/quadrature_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>

namespace adamant
{
template <int dim>
PressedFaces<dim>::PressedFaces(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const std::vector<unsigned int> &boundaries)
  : device(device)
{
  const auto                   &fe         = space.element();
  const auto                    components = first_components(fe);
  const dealii::QGauss<dim - 1> quadrature(fe.degree + 1);
  const auto                    flags =
    dealii::update_values | dealii::update_gradients | dealii::update_normal_vectors | dealii::update_JxW_values;
  dealii::FEFaceValues<dim> at_face(mapping, fe, quadrature, flags);
  Array<int>                first_of_cell = {0}, nodes, numbers;
  Array<double>             values, gradients, areas;
  n   = static_cast<int>(components.size());
  n_q = static_cast<int>(quadrature.size());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      const auto &it = space.active_cells()[cell];
      for (const unsigned int f : it->face_indices())
        {
          if (!it->at_boundary(f))
            continue;
          const auto found = std::find(boundaries.begin(), boundaries.end(), boundary_id(it->face(f)));
          if (found == boundaries.end())
            continue;
          numbers.push_back(static_cast<int>(found - boundaries.begin()));
          at_face.reinit(it, f);
          for (int a = 0; a < n; ++a)
            nodes.push_back(space.cell_dofs(cell)[components[a]] / space.node_size());
          for (int q = 0; q < n_q; ++q)
            {
              for (int a = 0; a < n; ++a)
                {
                  const auto slope = at_face.shape_grad(components[a], q);
                  values.push_back(at_face.shape_value(components[a], q));
                  gradients.insert(gradients.end(), slope.begin_raw(), slope.end_raw());
                }
              for (int c = 0; c < dim; ++c)
                areas.push_back(at_face.normal_vector(q)[c] * at_face.JxW(q));
            }
        }
      first_of_cell.push_back(static_cast<int>(numbers.size()));
    }
  n_faces = static_cast<int>(numbers.size());
  if (n_faces == 0)
    return;
  to_index(gradients.size(), "shape functions on faces");
  const int     n_points = n_faces * n_q;
  Array<double> by_component(areas.size());
  for (int point = 0; point < n_points; ++point)
    for (int c = 0; c < dim; ++c)
      by_component[std::size_t(c) * n_points + point] = areas[std::size_t(point) * dim + c];
  first    = List<int>(device, first_of_cell);
  node     = List<int>(device, nodes);
  shape    = List<int>(device, numbers_below(n_faces));
  boundary = List<int>(device, numbers);
  value    = List<double>(device, values);
  gradient = List<double>(device, gradients);
  area     = Vector<double>(device, by_component);
  stretch  = Vector<double>(device, n_points * StretchView<dim>::n_values);
  traction = Vector<double>(device, n_points * dim);
  change   = Vector<double>(device, n_points * dim);
}

template <int dim>
PressedFacesView<dim> PressedFaces<dim>::view()
{
  const int n_points = n_faces * n_q;
  return {first.size() > 0 ? first.data() : nullptr,
          {n, n_q, nullptr, elements(gradient), nullptr, nullptr, elements(shape), elements(node)},
          value.data(),
          boundary.data(),
          pressures,
          {area.data(), n_points},
          {{stretch.data(), n_points}},
          {traction.data(), n_points},
          {change.data(), n_points}};
}

template <int dim>
void PressedFaces<dim>::update(const Vector<double> &u, const Vector<double> &p)
{
  if (n_faces == 0)
    return;
  pressures        = p.data();
  const auto faces = view();
  device.for_each(n_faces * n_q, Deformation<dim>{{faces.shapes, u.data()}, faces.stretch});
  device.for_each(n_faces * n_q, FaceTraction<dim>{faces});
}

template <int dim>
void PressedFaces<dim>::update_change(const Vector<double> &delta)
{
  if (n_faces > 0)
    device.for_each(n_faces * n_q, FaceTractionChange<dim>{view(), delta.data()});
}

template class PressedFaces<2>;
template class PressedFaces<3>;
} // namespace adamant
