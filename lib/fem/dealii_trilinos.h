#pragma once

#include <deal.II/base/config.h>

// Defined where deal.II has matrices of Trilinos' Epetra, which a Trilinos from 2025 on may lack. Before deal.II 9.8
// all matrices of Trilinos are those.
#if defined(DEAL_II_WITH_TRILINOS) && (!DEAL_II_VERSION_GTE(9, 8, 0) || defined(DEAL_II_TRILINOS_WITH_EPETRA))
#define ADAMANT_DEALII_HAS_EPETRA
#endif
