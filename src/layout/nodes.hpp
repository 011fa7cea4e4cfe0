/// Makes nodes as they are, without normalising: only normalise.cpp needs these.
#pragma once

#include "layout/layout.hpp"

namespace pario::layout {

using NodePointer = Layout::Node::Pointer;

/// Each works out bounds, size, order and depth of the new node, and throws
/// base::Error(argument) where they leave 63 bits or the depth limit.
NodePointer make_block(Offset length);
NodePointer make_strided(Offset count, Offset stride, NodePointer child);
/// \param offsets  the first one is 0
NodePointer make_indexed(std::vector<Offset> offsets, NodePointer child);
/// \param pieces  lengths > 0; moved so that the first one lies at 0
NodePointer make_pieces(std::span<const Piece> pieces);
/// \param children  one for each offset; the first offset is 0
NodePointer make_structure(std::vector<Offset> offsets, std::vector<NodePointer> children);

/// Same shape.
bool same(const Layout::Node& a, const Layout::Node& b);

}  // namespace pario::layout
