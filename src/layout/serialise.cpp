/// Layouts as bytes. All numbers are 64-bit little-endian, two's complement:
///
///     magic | shift | node count | node, node, ...
///
///     node:  0 length                           block
///            1 count stride child               strided
///            2 count child offset...            indexed
///            3 count (offset length)...         pieces
///            4 count (offset child)...          structure
///
/// Children come before their parents and are named by their place in the list; the last node is
/// the root, and a node that has several parents is written once. No nodes: the empty layout.
#include <map>
#include <string>

#include "layout/arithmetic.hpp"
#include "layout/layout.hpp"

namespace pario::layout {

namespace {

using Node = Layout::Node;
using Kind = Node::Kind;

constexpr Offset magic = 0x0131'594c'4f49'5250;  // "PRIOLY1" and a version byte, 1

class Writer {
  public:
    std::vector<std::byte> write(const Layout& layout) && {
        const Node* root = layout.root().get();
        if (root != nullptr) {
            add_node(*root);
        }
        std::vector<std::byte> body;
        std::swap(body, bytes_);
        put(magic);
        put(layout.shift());
        put(static_cast<Offset>(places_.size()));
        bytes_.insert(bytes_.end(), body.begin(), body.end());
        return std::move(bytes_);
    }

  private:
    void put(Offset value) {
        const auto bits = static_cast<std::uint64_t>(value);
        for (int shift = 0; shift < 64; shift += 8) {
            bytes_.push_back(static_cast<std::byte>(bits >> shift));
        }
    }

    /// Writes `node` after its children, unless it is there already.
    void add_node(const Node& node) {
        if (places_.contains(&node)) {
            return;
        }
        for (const auto& child : node.children) {
            add_node(*child);
        }
        put(static_cast<Offset>(node.kind));
        if (node.kind == Kind::block) {
            put(node.size);
        } else {
            put(node.count);
            put_children(node);
        }
        const auto place = static_cast<Offset>(places_.size());
        places_.emplace(&node, place);
    }

    void put_children(const Node& node) {
        if (node.kind == Kind::strided) {
            put(node.stride);
        }
        if (node.has_equal_children()) {
            put(places_.at(node.children[0].get()));
        }
        for (std::size_t i = 0; i < node.offsets.size(); ++i) {
            put(node.offsets[i]);
            if (node.kind == Kind::pieces) {
                put(node.stream[i + 1] - node.stream[i]);
            } else if (node.kind == Kind::structure) {
                put(places_.at(node.children[i].get()));
            }
        }
    }

    std::vector<std::byte> bytes_;
    std::map<const Node*, Offset> places_;
};

/// Builds every node with the public constructors, so that nothing is trusted but the syntax.
class Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    Layout read() && {
        require(take() == magic, "it does not start with the mark of this version");
        const Offset shift = take();
        const Offset count = take_count(2);
        for (Offset i = 0; i < count; ++i) {
            nodes_.push_back(read_node());
        }
        require(bytes_.empty(), "bytes follow its end");
        require(count > 0 || shift == 0, "an empty layout is shifted");
        return nodes_.empty() ? Layout() : nodes_.back().shifted(shift);
    }

  private:
    static void require(bool condition, const char* reason) {
        if (!condition) {
            throw base::Error(base::Errc::argument,
                              std::string("not a serialised layout: ") + reason);
        }
    }

    Offset take() {
        require(bytes_.size() >= sizeof(Offset), "it ends too early");
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(Offset); ++i) {
            bits |= static_cast<std::uint64_t>(bytes_[i]) << (8 * i);
        }
        bytes_ = bytes_.subspan(sizeof(Offset));
        return static_cast<Offset>(bits);
    }

    /// A count of things that take `words` numbers each, all of which must be there.
    Offset take_count(std::size_t words) {
        const Offset count = take();
        const std::size_t room = bytes_.size() / (words * sizeof(Offset));
        require(count >= 0 && static_cast<std::uint64_t>(count) <= room, "a count is wrong");
        return count;
    }

    const Layout& take_child() {
        const Offset place = take();
        require(place >= 0 && place < static_cast<Offset>(nodes_.size()), "a child is missing");
        return nodes_[static_cast<std::size_t>(place)];
    }

    Layout read_node() {
        switch (take()) {
            case static_cast<Offset>(Kind::block):
                return Layout::block(take());
            case static_cast<Offset>(Kind::strided):
                return read_strided();
            case static_cast<Offset>(Kind::indexed):
                return read_indexed();
            case static_cast<Offset>(Kind::pieces):
                return read_pieces();
            case static_cast<Offset>(Kind::structure):
                return read_structure();
            default:
                break;
        }
        require(false, "a node is of no known kind");
        return {};
    }

    Layout read_strided() {
        const Offset count = take();
        const Offset stride = take();
        return Layout::strided(count, stride, take_child());
    }

    Layout read_indexed() {
        const Offset count = take_count(1);
        const Layout& child = take_child();
        std::vector<Offset> offsets;
        for (Offset i = 0; i < count; ++i) {
            offsets.push_back(take());
        }
        return Layout::indexed(offsets, child);
    }

    Layout read_pieces() {
        const Offset count = take_count(2);
        std::vector<Piece> pieces;
        for (Offset i = 0; i < count; ++i) {
            const Offset offset = take();
            pieces.push_back({offset, take()});
        }
        return Layout::pieces(pieces);
    }

    Layout read_structure() {
        const Offset count = take_count(2);
        std::vector<Part> parts;
        for (Offset i = 0; i < count; ++i) {
            const Offset offset = take();
            parts.push_back({offset, take_child()});
        }
        return Layout::structure(parts);
    }

    std::span<const std::byte> bytes_;
    std::vector<Layout> nodes_;
};

}  // namespace

std::vector<std::byte> Layout::serialise() const {
    return Writer().write(*this);
}

Layout Layout::parse(std::span<const std::byte> bytes) {
    return Reader(bytes).read();
}

}  // namespace pario::layout
