#include "fem/forms/form.h"

#include "algebra/cell_sums.h"
#include "base/exceptions.h"
#include "fem/forms/level_form.h"
#include "fem/forms/patches.h"
#include "operators/device_level.h"

#include <algorithm>
#include <utility>

namespace adamant
{
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
      if (&field->finest().triangulation() != &rows.finest().triangulation())
        throw RunError("form " + name_ + ": the fields " + rows.name() + " and " + field->name() +
                       " have different finest levels");
    }
}

template <int dim>
Form<dim>::~Form() = default;

template <int dim>
void Form<dim>::update()
{
  // The finest level first: coarser meshes may still be under construction.
  for (std::size_t level = row_field.n_levels(); level-- > first_level();)
    if (stores(level))
      update(level);
}

template <int dim>
void Form<dim>::update(const Device &device)
{
  for (std::size_t level = first_level(); level < row_field.n_levels(); ++level)
    if (stores(level))
      made(level).update(device);
}

template <int dim>
CellSums Form<dim>::sums_over_cells() const
{
  if (columns_.kind != ColumnKind::quadrature_points)
    throw RunError("form " + name_ + ": its columns are no quadrature points, so its matrix has to be that of rows");
  return LevelForm<dim>(*this, row_field.n_levels() - 1).sums_over_cells();
}

template <int dim>
LevelForm<dim> &Form<dim>::made(std::size_t level)
{
  level_forms.resize(row_field.n_levels());
  kept.resize(row_field.n_levels());
  if (!level_forms[level])
    {
      level_forms[level] = std::make_unique<LevelForm<dim>>(*this, level);
      kept[level].reset();
      level_forms[level]->make_pattern();
    }
  return *level_forms[level];
}

template <int dim>
void Form<dim>::update(std::size_t level)
{
  made(level).update();
}

template <int dim>
AssemblyTables<dim> &Form<dim>::tables(const Device &device, std::size_t level)
{
  return made(level).tables(device);
}

template <int dim>
void Form<dim>::finish(const Device &device, std::size_t level)
{
  level_forms[level]->sum_over_ranks(device);
}

template <int dim>
SharedMatrix Form<dim>::matrix(std::size_t level) const
{
  if (level >= level_forms.size() || !(level_forms[level] || kept[level]))
    throw RunError("form " + name_ + " has no matrix on level " + std::to_string(level) +
                   (level_forms.empty() ? ": it was not updated yet" : ""));
  return level_forms[level] ? level_forms[level]->sum : kept[level];
}

template <int dim>
std::shared_ptr<const CompressedRows> Form<dim>::on_device(std::size_t level) const
{
  return level < level_forms.size() && level_forms[level] ? level_forms[level]->on_device() : nullptr;
}

template <int dim>
std::size_t Form<dim>::n_levels() const
{
  return row_field.n_levels();
}

template <int dim>
LevelData Form<dim>::level(std::size_t level) const
{
  if (!stores(level))
    return {rowless[level], nullptr, nullptr, row_field.node_size()};
  LevelData data{matrix(level), nullptr, nullptr, row_field.node_size()};
  if (auto rows = on_device(level))
    data.values = ValuesOnDevice{matrix(level), std::move(rows)};
  return data;
}

template <int dim>
void Form<dim>::take(std::vector<std::shared_ptr<const RowlessMatrix>> matrices)
{
  rowless.clear();
  if (std::any_of(matrices.begin(), matrices.end(), [](const auto &one) { return one != nullptr; }))
    rowless = std::move(matrices);
}

template <int dim>
void Form<dim>::release()
{
  level_forms.clear();
  kept.clear();
}

template <int dim>
std::vector<LevelData> levels_of(const Field<dim> &field, const Form<dim> &form)
{
  if (&form.rows() != &field || form.columns().kind != ColumnKind::unknowns || form.columns().field != &field)
    throw RunError("form " + form.name() + " is no system matrix of the field " + field.name());
  std::vector<LevelData> levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      auto level         = form.level(l);
      level.prolongation = field.prolongation(l);
      level.restriction  = field.restriction(l);
      level.patches      = [&field, l](PatchKind kind) { return make_patches(field.space(l), kind); };
      levels.push_back(std::move(level));
    }
  return levels;
}

template <int dim>
Matrix<double> make_matrix(const Device &device, const Form<dim> &form)
{
  return make_matrix<double>(device, form.level(form.rows().n_levels() - 1));
}

template <int dim>
void update_matrix(const Form<dim> &form, Matrix<double> &A)
{
  update_matrix(form.level(form.rows().n_levels() - 1), A);
}

template <int dim>
Matrix<double> assemble_on(const Device &device, Form<dim> &form)
{
  if (form.columns().kind == ColumnKind::quadrature_points && device.matrix_format() == MatrixFormat::compressed)
    return make_matrix(device, form.sums_over_cells());
  form.update();
  Matrix<double> matrix(device, *form.finest(), form.rows().node_size());
  form.release();
  return matrix;
}

template class Form<2>;
template class Form<3>;
template decltype(levels_of<2>) levels_of<2>;
template decltype(levels_of<3>) levels_of<3>;
template Matrix<double>         make_matrix(const Device &, const Form<2> &);
template Matrix<double>         make_matrix(const Device &, const Form<3> &);
template void                   update_matrix(const Form<2> &, Matrix<double> &);
template void                   update_matrix(const Form<3> &, Matrix<double> &);
template Matrix<double>         assemble_on(const Device &, Form<2> &);
template Matrix<double>         assemble_on(const Device &, Form<3> &);
} // namespace adamant
