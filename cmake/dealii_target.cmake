# adamant_dealii_target(TARGET): sets a target up for deal.II. With ADAMANT_PRECOMPILE such targets share deal.II's
# headers, compiled once, which saves a third of each compilation. They take a minute and 0.8 GB, once for targets with
# the property ADAMANT_QUICK and once for the others, as GCC compiles with the optimization that the headers had.
option(ADAMANT_PRECOMPILE "Compile deal.II's headers once for all targets" OFF)

function(adamant_precompiled name quick)
  if(NOT EXISTS ${PROJECT_BINARY_DIR}/${name}.cc)
    file(WRITE ${PROJECT_BINARY_DIR}/${name}.cc "")
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${name}.cc)
  set_target_properties(${name} PROPERTIES ADAMANT_QUICK ${quick} ADAMANT_DEALII ON)
  target_link_libraries(${name} adamant_flags nlohmann_json::nlohmann_json MPI::MPI_CXX)
  deal_ii_setup_target(${name})
  target_precompile_headers(${name} PRIVATE
    <deal.II/base/function.h>
    <deal.II/base/mpi.h>
    <deal.II/base/parameter_acceptor.h>
    <deal.II/base/quadrature_lib.h>
    <deal.II/distributed/tria.h>
    <deal.II/dofs/dof_handler.h>
    <deal.II/dofs/dof_tools.h>
    <deal.II/fe/fe_q.h>
    <deal.II/fe/fe_system.h>
    <deal.II/fe/fe_values.h>
    <deal.II/fe/mapping_q1.h>
    <deal.II/grid/grid_generator.h>
    <deal.II/grid/grid_tools.h>
    <deal.II/lac/affine_constraints.h>
    <deal.II/lac/sparse_matrix.h>
    <deal.II/lac/vector.h>
    <nlohmann/json.hpp>)
endfunction()

if(ADAMANT_PRECOMPILE)
  adamant_precompiled(adamant_precompiled OFF)
  adamant_precompiled(adamant_precompiled_quick ON)
endif()

function(adamant_dealii_target target)
  deal_ii_setup_target(${target})
  set_target_properties(${target} PROPERTIES ADAMANT_DEALII ON)
  get_target_property(kernels ${target} ADAMANT_KERNELS)
  if(kernels AND NOT ADAMANT_QUICK AND NOT ADAMANT_CHECKED)
    return() # these headers have less optimization
  endif()
  if(ADAMANT_PRECOMPILE)
    get_target_property(quick ${target} ADAMANT_QUICK)
    if(quick AND NOT ADAMANT_QUICK AND NOT ADAMANT_CHECKED) # which have one optimization for all
      target_precompile_headers(${target} REUSE_FROM adamant_precompiled_quick)
    else()
      target_precompile_headers(${target} REUSE_FROM adamant_precompiled)
    endif()
  endif()
endfunction()
