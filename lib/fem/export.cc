#include "fem/export.h"

#include <memory>

namespace adamant
{
template <int dim>
std::vector<Level> export_levels(const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                                 const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags,
                                 const typename Form<dim>::Kernel &kernel)
{
  Form<dim> A(field.name(), field, unknowns(field), mapping, quadrature, flags, kernel, Levels::all);
  A.update();
  std::vector<Level> levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      const auto &space = field.space(l);
      levels.push_back({A.matrix(l), field.prolongation(l), field.restriction(l),
                        std::make_shared<CSRMatrix<double>>(space.owned_H()),
                        std::make_shared<CSRMatrix<double>>(space.owned_B())});
    }
  return levels;
}

template std::vector<Level> export_levels(const Field<2> &, const dealii::Mapping<2> &, const dealii::Quadrature<2> &,
                                          dealii::UpdateFlags, const typename Form<2>::Kernel &);
template std::vector<Level> export_levels(const Field<3> &, const dealii::Mapping<3> &, const dealii::Quadrature<3> &,
                                          dealii::UpdateFlags, const typename Form<3>::Kernel &);
} // namespace adamant
