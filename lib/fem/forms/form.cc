#include "fem/forms/form.h"

#include "base/exceptions.h"
#include "fem/forms/level_form.h"
#include "fem/forms/patches.h"
#include "fem/ranks/distributed_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace adamant
{
namespace
{
std::shared_ptr<const CSRMatrix<double>> empty_rows(int n)
{
  auto matrix    = std::make_shared<CSRMatrix<double>>();
  matrix->n_rows = matrix->n_cols = n;
  matrix->row_start.assign(n + 1, 0);
  return matrix;
}

// Adds up the values of rows over ranks on a device: values = G · local values, G of ones.
class SumOverRanks
{
public:
  // `pattern` is that of sum_rows(local, rows, columns).
  SumOverRanks(const Device &device, const CSRMatrix<double> &local, const CSRMatrix<double> &pattern,
               const Partitioner &rows, const Partitioner &columns)
    : result(std::make_shared<CompressedRows>(device, pattern))
    , device(device)
    , G(device, summation(local, pattern, rows, columns))
  {}

  void add_up(const Vector<double> &local) { device.multiply(1., G, local, 0., result->values); }

  const std::shared_ptr<CompressedRows> result;

private:
  Device         device;
  Matrix<double> G;
};
} // namespace

template <int dim>
struct Form<dim>::Level
{
  std::optional<LevelForm<dim>>        form;   // none: keep_matrices()
  std::shared_ptr<CSRMatrix<double>>   matrix; // on one rank the form's own
  std::unique_ptr<AssemblyTables<dim>> tables; // of values that a device computes
  std::unique_ptr<SumOverRanks>        sum;    // of those, on several ranks
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
    update(level);
}

template <int dim>
void Form<dim>::update(const Device &device)
{
  for (std::size_t level = first_level(); level < row_field.n_levels(); ++level)
    {
      auto &tables = this->tables(device, level);
      tables.assemble_tabulated(device, [&](auto &local) { level_forms[level]->form->tabulate(kernel, local); });
      finish(device, level);
    }
}

template <int dim>
LevelForm<dim> Form<dim>::on_level(std::size_t level) const
{
  const auto             &rows = row_field.space(level);
  const LevelColumns<dim> columns(columns_.kind, columns_.field != nullptr ? &columns_.field->space(level) : nullptr,
                                  rows, static_cast<int>(quadrature.size()));
  return {level, rows, columns, mapping, quadrature, flags};
}

template <int dim>
CellSums Form<dim>::sums_over_cells() const
{
  if (columns_.kind != ColumnKind::quadrature_points)
    throw RunError("form " + name_ + ": its columns are no quadrature points, so its matrix has to be that of rows");
  return on_level(row_field.n_levels() - 1).sums_over_cells(kernel);
}

template <int dim>
auto Form<dim>::made(std::size_t level) -> Level &
{
  level_forms.resize(row_field.n_levels());
  if (!level_forms[level] || !level_forms[level]->form)
    {
      level_forms[level] = std::make_unique<Level>(Level{on_level(level), nullptr, nullptr, nullptr});
      level_forms[level]->form->make_pattern();
      level_forms[level]->matrix = level_forms[level]->form->matrix;
    }
  return *level_forms[level];
}

template <int dim>
void Form<dim>::update(std::size_t level)
{
  Level &made = this->made(level);
  made.form->assemble(kernel);
  sum_over_ranks(made);
}

template <int dim>
void Form<dim>::sum_over_ranks(Level &made)
{
  const auto &rows = made.form->row_space();
  if (rows.partition().n_mpi_processes() == 1)
    return;
  auto sum = sum_rows(*made.form->matrix, rows.partition(), *made.form->columns().numbers());
  if (made.matrix == made.form->matrix)
    made.matrix = std::make_shared<CSRMatrix<double>>(std::move(sum));
  else
    *made.matrix = std::move(sum);
}

template <int dim>
AssemblyTables<dim> &Form<dim>::tables(const Device &device, std::size_t level)
{
  Level &made = this->made(level);
  if (!made.tables)
    {
      made.tables = std::make_unique<AssemblyTables<dim>>(device, *made.form, mapping, quadrature, flags);
      made.form->leave_values_to_device();
    }
  return *made.tables;
}

template <int dim>
void Form<dim>::finish(const Device &device, std::size_t level)
{
  Level      &made = *level_forms[level];
  const auto &rows = made.form->row_space().partition();
  if (rows.n_mpi_processes() == 1)
    return;
  if (!made.sum)
    {
      const CSRMatrix<double> &local   = *made.form->matrix;
      const auto              &columns = *made.form->columns().numbers();
      made.form->matrix->value.assign(local.n_nonzeros(), 0.);
      sum_over_ranks(made);
      made.form->matrix->value = made.matrix->value = Array<double>(); // a device has them
      made.sum = std::make_unique<SumOverRanks>(device, local, *made.matrix, rows, columns);
    }
  made.sum->add_up(made.tables->matrix->values);
}

template <int dim>
std::shared_ptr<const CompressedRows> Form<dim>::on_device(std::size_t level) const
{
  if (level >= level_forms.size() || !level_forms[level] || !level_forms[level]->tables)
    return nullptr;
  const Level &made = *level_forms[level];
  return made.sum ? made.sum->result : made.tables->matrix;
}

template <int dim>
void Form<dim>::keep_matrix(std::size_t level)
{
  level_forms.at(level)->form.reset();
}

template <int dim>
void Form<dim>::release_entries(std::size_t level)
{
  auto &matrix  = *level_forms.at(level)->matrix;
  matrix.column = Array<int>(); // which {} would not free
  matrix.value  = Array<double>();
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

namespace
{
// Not of all smoothers: the space may be gone.
template <int dim>
std::function<Patches(PatchKind)> patches_of(const Field<dim> &field, std::size_t level)
{
  return [&field, level](PatchKind kind) {
    const auto &space = field.space(level);
    return kind == PatchKind::cells    ? cell_patches(space) :
           kind == PatchKind::vertices ? vertex_patches(space) :
                                         star_patches(space);
  };
}

} // namespace

template <int dim>
std::vector<LevelData> levels_of(const Field<dim> &field, const Form<dim> &form,
                                 const std::vector<std::shared_ptr<CellMatrix>> &cells)
{
  const auto by_cells = [&](std::size_t l) { return l < cells.size() && cells[l]; };
  if (&form.rows() != &field || form.columns().kind != ColumnKind::unknowns || form.columns().field != &field)
    throw RunError("form " + form.name() + " is no system matrix of the field " + field.name());
  std::vector<LevelData> levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    levels.push_back({by_cells(l) ? empty_rows(field.space(l).n_owned()) : form.matrix(l), field.prolongation(l),
                      field.restriction(l), field.node_size(), form.on_device(l), patches_of(field, l),
                      by_cells(l) ? cells[l] : nullptr});
  return levels;
}

namespace
{
// What multigrid has taken of the levels so far.
template <int dim>
class LevelsInTurn
{
public:
  LevelsInTurn(LevelMeshes<dim> &meshes, Field<dim> &field, Form<dim> &form, std::size_t first)
    : meshes(meshes)
    , field(field)
    , form(form)
    , first(first)
  {}

  void add_transfer(std::size_t level, LevelData &data)
  {
    if (level > first)
      form.release_entries(level - 1);
    field.release_mesh(level - 1);
    if (level + 1 == field.n_levels())
      meshes.release_coarser();
    data.prolongation = field.prolongation(level);
    data.restriction  = field.restriction(level);
    field.release_transfer(level);
  }

  void add_matrix(std::size_t level, LevelData &data)
  {
    if (level != last)
      make_matrix(level);
    last        = level;
    data.matrix = form.matrix(level);
  }

private:
  void make_matrix(std::size_t level)
  {
    field.release_spaces_below(level);
    if (level + 1 == field.n_levels())
      meshes.release();
    form.update(level);
    form.keep_matrix(level);
  }

  LevelMeshes<dim> &meshes;
  Field<dim>       &field;
  Form<dim>        &form;
  std::size_t       first, last = 0; // of the levels in turn; that whose matrix there is, after the coarsest
};
} // namespace

template <int dim>
std::vector<LevelData> levels_in_turn(LevelMeshes<dim> &meshes, Field<dim> &field, Form<dim> &form, std::size_t at_once)
{
  std::vector<LevelData> levels(field.n_levels());
  std::size_t            first = 0; // of those in turn
  for (; first == 0 || (first < levels.size() && field.space(first).partition().size() <= at_once); ++first)
    {
      form.update(first);
      form.keep_matrix(first);
      levels[first] = {form.matrix(first), field.prolongation(first), field.restriction(first)};
    }
  const auto in_turn = std::make_shared<LevelsInTurn<dim>>(meshes, field, form, first);
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      levels[l].node_size = field.node_size();
      levels[l].patches   = patches_of(field, l);
      if (l >= first)
        {
          levels[l].add_transfer = [in_turn, l](LevelData &data) { in_turn->add_transfer(l, data); };
          levels[l].add_matrix   = [in_turn, l](LevelData &data) { in_turn->add_matrix(l, data); };
        }
    }
  return levels;
}

namespace
{
template <int dim>
LevelData finest_level(const Form<dim> &form)
{
  return {form.finest(), nullptr, nullptr, form.rows().node_size(), form.on_device(form.rows().n_levels() - 1)};
}
} // namespace

template <int dim>
Matrix<double> make_matrix(const Device &device, const Form<dim> &form)
{
  return make_matrix<double>(device, finest_level(form));
}

template <int dim>
void update_matrix(const Form<dim> &form, Matrix<double> &A)
{
  update_matrix(finest_level(form), A);
}

template class Form<2>;
template class Form<3>;
template std::vector<LevelData> levels_of(const Field<2> &, const Form<2> &,
                                          const std::vector<std::shared_ptr<CellMatrix>> &);
template std::vector<LevelData> levels_of(const Field<3> &, const Form<3> &,
                                          const std::vector<std::shared_ptr<CellMatrix>> &);
template Matrix<double>         make_matrix(const Device &, const Form<2> &);
template Matrix<double>         make_matrix(const Device &, const Form<3> &);
template void                   update_matrix(const Form<2> &, Matrix<double> &);
template void                   update_matrix(const Form<3> &, Matrix<double> &);
template std::vector<LevelData> levels_in_turn(LevelMeshes<2> &, Field<2> &, Form<2> &, std::size_t);
template std::vector<LevelData> levels_in_turn(LevelMeshes<3> &, Field<3> &, Form<3> &, std::size_t);
} // namespace adamant
