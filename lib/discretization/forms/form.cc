#include "discretization/forms/form.h"

#include "base/exceptions.h"
#include "discretization/forms/level_form.h"

#include <utility>

namespace adamant
{
template <int dim>
struct Form<dim>::Level
{
  LevelForm<dim>                     form;
  std::shared_ptr<CSRMatrix<double>> matrix; // on one rank the form's own
};

template <int dim>
Form<dim>::Form(std::string name, const Field<dim> &rows, const Columns<dim> &columns,
                const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
                dealii::UpdateFlags flags, Kernel kernel, Levels levels)
  : name_(std::move(name))
  , row_field(rows)
  , columns_(columns)
  , mapping(mapping)
  , quadrature(quadrature)
  , flags(flags)
  , kernel(std::move(kernel))
  , levels(levels)
{
  if (const auto *field = columns.field; field != nullptr)
    {
      if (&field->meshes() != &rows.meshes())
        throw RunError("form " + name_ + ": the fields " + rows.name() + " and " + field->name() +
                       " are on different level meshes");
      if (&field->finest().dof_handler().get_triangulation() != &rows.finest().dof_handler().get_triangulation())
        throw RunError("form " + name_ + ": the fields " + rows.name() + " and " + field->name() +
                       " have different finest levels");
    }
}

template <int dim>
Form<dim>::~Form() = default;

template <int dim>
void Form<dim>::update()
{
  const std::size_t n = row_field.n_levels();
  level_forms.resize(n);
  // The finest level first: coarser meshes may still be under construction.
  for (std::size_t level = n; level-- > (levels == Levels::all ? 0 : n - 1);)
    update(level);
}

template <int dim>
void Form<dim>::update(std::size_t level)
{
  const auto &rows = row_field.space(level);
  auto       &made = level_forms[level];
  if (!made)
    {
      const LevelColumns<dim> columns(columns_.kind,
                                      columns_.field != nullptr ? &columns_.field->space(level) : nullptr, rows,
                                      static_cast<int>(quadrature.size()));
      made         = std::make_unique<Level>(Level{{level, rows, columns, mapping, quadrature, flags}, nullptr});
      made->matrix = made->form.matrix;
    }
  made->form.assemble(kernel);
  if (rows.partition().n_mpi_processes() > 1)
    {
      auto sum = sum_rows(*made->form.matrix, rows.partition(), *made->form.columns().numbers());
      if (made->matrix == made->form.matrix)
        made->matrix = std::make_shared<CSRMatrix<double>>(std::move(sum));
      else
        *made->matrix = std::move(sum);
    }
}

template <int dim>
void Form<dim>::release()
{
  level_forms.clear();
}

template <int dim>
std::shared_ptr<const CSRMatrix<double>> Form<dim>::matrix(std::size_t level) const
{
  if (level >= level_forms.size() || !level_forms[level])
    throw RunError("form " + name_ + " has no matrix on level " + std::to_string(level) +
                   (level_forms.empty() ? ": it was not updated yet" : ""));
  return level_forms[level]->matrix;
}

template <int dim>
std::vector<LevelData> levels_of(const Field<dim> &field, const Form<dim> &form)
{
  if (&form.rows() != &field || form.columns().kind != ColumnKind::unknowns || form.columns().field != &field)
    throw RunError("form " + form.name() + " is no system matrix of the field " + field.name());
  std::vector<LevelData> levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    levels.push_back({form.matrix(l), field.prolongation(l), field.restriction(l), field.node_size()});
  return levels;
}

template class Form<2>;
template class Form<3>;
template std::vector<LevelData> levels_of(const Field<2> &, const Form<2> &);
template std::vector<LevelData> levels_of(const Field<3> &, const Form<3> &);
} // namespace adamant
