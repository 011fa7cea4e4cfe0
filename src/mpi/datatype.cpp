#include "mpi/datatype.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype_contents.hpp"
#include "mpi/datatype_decode.hpp"

namespace pario::mpi {

namespace {

// The callbacks run inside MPI_Type_free and MPI_Type_dup, so they must not take the cache's
// lock: a thread that decodes a type holds it, and frees the handles of the contents.

int delete_cached(MPI_Datatype /*type*/, int /*keyval*/, void* value, void* /*extra*/) {
    delete static_cast<TypeLayout*>(value);
    return MPI_SUCCESS;
}

int copy_cached(MPI_Datatype /*type*/,
                int /*keyval*/,
                void* /*extra*/,
                void* old_value,
                void* new_value,
                int* is_copied) {
    // The tree itself is shared. Without memory, the copy is decoded when it is asked for.
    auto* const copy = new (std::nothrow) TypeLayout(*static_cast<TypeLayout*>(old_value));
    *static_cast<TypeLayout**>(new_value) = copy;
    *is_copied = copy != nullptr ? 1 : 0;
    return MPI_SUCCESS;
}

/// Layouts of predefined types by handle: MPI never frees those, so a handle never changes its
/// meaning. Layouts of all others in an attribute, which dies with the type: a handle value that
/// MPI uses again starts without one.
class Cache {
  public:
    const TypeLayout& at(MPI_Datatype type) {
        const std::lock_guard lock(mutex_);
        return find_or_decode(type);
    }

  private:
    const TypeLayout& find_or_decode(MPI_Datatype type);
    const TypeLayout& store(MPI_Datatype type, int combiner, TypeLayout value);
    TypeLayout decode_tree(MPI_Datatype type, const TypeContents& contents);
    int keyval();

    std::mutex mutex_;
    std::map<MPI_Datatype, TypeLayout> predefined_;
    int keyval_ = MPI_KEYVAL_INVALID;
};

const TypeLayout& Cache::find_or_decode(MPI_Datatype type) {
    const auto found = predefined_.find(type);
    if (found != predefined_.end()) {
        return found->second;
    }
    void* value = nullptr;
    int is_set = 0;
    check_type_call(MPI_Type_get_attr(type, keyval(), &value, &is_set), "MPI_Type_get_attr");
    if (is_set != 0) {
        return *static_cast<const TypeLayout*>(value);
    }
    const TypeContents contents = contents_of(type);
    return store(type, contents.combiner, decode_tree(type, contents));
}

const TypeLayout& Cache::store(MPI_Datatype type, int combiner, TypeLayout value) {
    if (is_predefined(combiner)) {
        return predefined_.emplace(type, std::move(value)).first->second;
    }
    auto attribute = std::make_unique<TypeLayout>(std::move(value));
    check_type_call(MPI_Type_set_attr(type, keyval(), attribute.get()), "MPI_Type_set_attr");
    return *attribute.release();  // now the datatype's
}

TypeLayout Cache::decode_tree(MPI_Datatype type, const TypeContents& contents) {
    // Copies: a child's own layout may die with its handle at the end of the caller.
    std::vector<TypeLayout> children;
    children.reserve(contents.types.size());
    for (const ContainedType& child : contents.types) {
        children.push_back(find_or_decode(child.handle()));
    }
    const TypeBounds bounds = bounds_of(type);
    layout::Layout layout = decode(type, contents, bounds, children);
    if (layout.size() != bounds.size) {
        throw base::Error(base::Errc::internal,
                          "a datatype made by " + combiner_name(contents.combiner) + " has " +
                              std::to_string(bounds.size) + " bytes, its layout " +
                              std::to_string(layout.size()));
    }
    return {std::move(layout),
            bounds.lower_bound,
            bounds.extent,
            bounds.size,
            contents.combiner == MPI_COMBINER_NAMED};
}

int Cache::keyval() {
    if (keyval_ == MPI_KEYVAL_INVALID) {
        check_type_call(MPI_Type_create_keyval(copy_cached, delete_cached, &keyval_, nullptr),
                        "MPI_Type_create_keyval");
    }
    return keyval_;
}

/// Never destroyed: datatypes may outlive the statics of this library.
Cache& cache() {
    static auto* const the_cache = new Cache;
    return *the_cache;
}

}  // namespace

const TypeLayout& layout_of(MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) {
        throw base::Error(base::Errc::type, "the datatype is MPI_DATATYPE_NULL");
    }
    return cache().at(type);
}

layout::Layout memory_layout(const TypeLayout& type, layout::Offset count) {
    if (count < 0) {
        throw base::Error(base::Errc::count, "count " + std::to_string(count) + " is negative");
    }
    return repeated(count, type);
}

}  // namespace pario::mpi
