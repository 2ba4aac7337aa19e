#include "ct_executorch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "ct_operators.h"

namespace ct
{
namespace
{

using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::Span;

struct Unboxed {
    std::vector<int64_t> signature;
    std::vector<void *> tensors;
};

struct Program {
    const ct_model *model = nullptr;
    const ct_executorch_call *calls = nullptr;
    uint32_t count = 0;
};

thread_local Program program;
thread_local Unboxed passed;
thread_local ct_executorch_failure failure;

/* Its data are there, and aligned to its elements. */
bool has_data(const Tensor &tensor)
{
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr());
    return tensor.numel() == 0 ||
           (address != 0 && address % static_cast<std::uintptr_t>(tensor.element_size()) == 0);
}

bool add_tensor(const Tensor &tensor)
{
    auto &words = passed.signature;
    const auto sizes = tensor.sizes();
    words.push_back(static_cast<int64_t>(tensor.scalar_type()));
    words.push_back(tensor.dim());
    words.insert(words.end(), sizes.begin(), sizes.end());
    std::transform(sizes.begin(), sizes.end(), tensor.strides().begin(), std::back_inserter(words),
                   [](auto size, auto stride) { return size == 1 ? 0 : stride; });
    passed.tensors.push_back(const_cast<void *>(tensor.const_data_ptr()));
    return has_data(tensor);
}

bool add_tensors(const EValue &value)
{
    const auto list = value.tryToTensorList();
    if (!list.ok()) {
        return false;
    }
    passed.signature.push_back(static_cast<int64_t>(list->size()));
    return std::all_of(list->begin(), list->end(), add_tensor);
}

bool add_integers(const EValue &value)
{
    const auto list = value.tryToIntList();
    if (!list.ok()) {
        return false;
    }
    passed.signature.push_back(static_cast<int64_t>(list->size()));
    passed.signature.insert(passed.signature.end(), list->begin(), list->end());
    return true;
}

int64_t bits(double number)
{
    int64_t word;
    static_assert(sizeof word == sizeof number);
    std::memcpy(&word, &number, sizeof word);
    return word;
}

bool add(const EValue &value)
{
    const auto begin = [](Kind kind) { passed.signature.push_back(kind); };
    if (value.isNone()) {
        begin(NONE);
        return true;
    }
    if (value.isTensor()) {
        begin(TENSOR);
        return add_tensor(value.toTensor());
    }
    if (value.isTensorList()) {
        begin(TENSOR_LIST);
        return add_tensors(value);
    }
    if (value.isIntList()) {
        begin(INT_LIST);
        return add_integers(value);
    }
    if (value.isInt() || value.isBool()) {
        begin(value.isBool() ? BOOL : INT);
        passed.signature.push_back(value.isBool() ? value.toBool() : value.toInt());
        return true;
    }
    if (value.isDouble()) {
        begin(FLOAT);
        passed.signature.push_back(bits(value.toDouble()));
        return true;
    }
    return false;
}

/* Scratch of other implementations; ours comes from the runtime's allocator for temporary memory. */
bool is_memory(const EValue &value)
{
    return value.isNone() ||
           (value.isTensor() && value.toTensor().dim() == 1 && value.toTensor().element_size() == 1);
}

constexpr int32_t ALL = -1;

/* ALL, or the first argument that is missing or of no known kind, or not aligned. */
int32_t unbox(const Operator &op, Span<EValue *> values)
{
    passed.signature.clear();
    passed.tensors.clear();
    for (std::size_t i = 0; i <= op.arguments; i++) {
        const bool is_ignored = i < op.arguments && (op.ignored >> i & 1u);
        const bool is_there = i < values.size() && values[i] != nullptr;
        if (!is_there || !(is_ignored ? is_memory(*values[i]) : add(*values[i]))) {
            return static_cast<int32_t>(i);
        }
    }
    return ALL;
}

const ct_executorch_call *find(uint32_t op)
{
    const auto is_this = [&](const ct_executorch_call &call) {
        const auto &words = passed.signature;
        return call.op == op &&
               std::equal(words.begin(), words.end(), call.signature, call.signature + call.signature_words);
    };
    const auto *end = program.calls + program.count;
    const auto *found = std::find_if(program.calls, end, is_this);
    return found == end ? nullptr : found;
}

ct_status run(KernelRuntimeContext &context, const ct_executorch_call &call)
{
    std::array<void *, CT_MAX_OPERANDS> operands = {};
    for (uint32_t i = 0; i < call.operand_count; i++) {
        const int32_t index = call.operands[i];
        if (index >= 0 && (static_cast<uint32_t>(index) & CT_REF_CONST) != 0) {
            const auto offset = static_cast<uint32_t>(index) & ~CT_REF_REGION;
            operands[i] = const_cast<uint8_t *>(program.model->constants + offset);
        } else if (index >= 0) {
            operands[i] = passed.tensors[static_cast<std::size_t>(index)];
        } else if (index == CT_EXECUTORCH_SCRATCH) {
            auto scratch = context.allocate_temp(call.scratch_bytes, CT_ARENA_ALIGNMENT);
            if (!scratch.ok()) {
                return CT_ERR_SCRATCH;
            }
            operands[i] = *scratch;
        }
    }
    const ct_step &step = program.model->steps[call.step];
    return step.kernel(step.params, operands.data());
}

void execute(KernelRuntimeContext &context, Span<EValue *> values, uint32_t op)
{
    const int32_t unreadable = unbox(operators[op], values);
    const ct_executorch_call *call = unreadable == ALL ? find(op) : nullptr;
    const ct_status status = call != nullptr ? run(context, *call) : CT_ERR_TENSOR;
    if (status == CT_OK) {
        return;
    }
    const auto &words = passed.signature;
    const auto length = static_cast<uint32_t>(words.size());
    failure = {static_cast<int32_t>(op), status, unreadable, words.data(), length};
    context.fail(call != nullptr ? Error::Internal : Error::InvalidArgument);
}

/* The registry's functions have no argument that says which operator they are: one of them for each. */
template <std::size_t op> void entry(KernelRuntimeContext &context, Span<EValue *> values)
{
    execute(context, values, op);
}

template <std::size_t... op> Error add_to_registry(std::index_sequence<op...>)
{
    using executorch::runtime::Kernel;
    static const Kernel kernels[] = {Kernel(operators[op].name, entry<op>)...};
    const auto is_ours = [](const Kernel &other) {
        return std::any_of(std::begin(kernels), std::end(kernels),
                           [&](const Kernel &kernel) { return std::strcmp(kernel.name_, other.name_) == 0; });
    };
    const auto known = executorch::runtime::get_registered_kernels();
    if (std::any_of(known.begin(), known.end(), is_ours)) {
        return Error::RegistrationAlreadyRegistered; // the registry itself would stop the process
    }
    return executorch::runtime::register_kernels({kernels, std::size(kernels)});
}

} // namespace
} // namespace ct

#define CT_EXPORT __attribute__((visibility("default")))

CT_EXPORT int32_t ct_executorch_register(void)
{
    const auto all = std::make_index_sequence<std::size(ct::operators)>();
    return static_cast<int32_t>(ct::add_to_registry(all));
}

CT_EXPORT void ct_executorch_use(const ct_model *model, const ct_executorch_call *calls, uint32_t count)
{
    ct::program = {model, calls, count};
    ct::failure = {-1, CT_OK, ct::ALL, nullptr, 0};
}

CT_EXPORT void ct_executorch_last_failure(ct_executorch_failure *failure)
{
    *failure = ct::failure;
}
