// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/mpisum.h"

namespace ringside {

namespace {

template <NumberType type> void add(void* in, void* inout, int* length, MPI_Datatype*)
{
    auto* sum = static_cast<std::uint16_t*>(inout);
    addNumbers({{sum, static_cast<std::size_t>(*length)}, type}, static_cast<const std::byte*>(in));
}

} // namespace

MpiSums::MpiSums()
{
    MPI_Op_create(add<NumberType::f16>, 1, &m_half);
    MPI_Op_create(add<NumberType::bf16>, 1, &m_bfloat16);
}

} // namespace ringside
