#include "storage/facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace pario::storage {

namespace {

struct FileSystem {
    std::uint64_t magic;
    std::string_view name;
};

/// From statfs(2), <linux/magic.h>, and for those outside the kernel their own sources.
constexpr std::array<FileSystem, 33> file_systems{{
    {0x0000EF53, "ext4"},     {0x58465342, "xfs"},      {0x9123683E, "btrfs"},
    {0x01021994, "tmpfs"},    {0x858458F6, "ramfs"},    {0x958458F6, "hugetlbfs"},
    {0x794C7630, "overlay"},  {0x65735546, "fuse"},     {0x01021997, "9p"},
    {0x2FC12FC1, "zfs"},      {0xF2F52010, "f2fs"},     {0xCA451A4E, "bcachefs"},
    {0x00006969, "nfs"},      {0x0000517B, "smb"},      {0xFF534D42, "cifs"},
    {0xFE534D42, "smb2"},     {0x0BD00BD0, "lustre"},   {0x47504653, "gpfs"},
    {0x19830326, "beegfs"},   {0x00C36400, "ceph"},     {0x20030528, "orangefs"},
    {0xAAD7AAEA, "panfs"},    {0x01161970, "gfs2"},     {0x7461636F, "ocfs2"},
    {0x5346414F, "afs"},      {0x0000F15F, "ecryptfs"}, {0x786F4256, "vboxsf"},
    {0x00004D44, "vfat"},     {0x2011BAB0, "exfat"},    {0x7366746E, "ntfs3"},
    {0x73717368, "squashfs"}, {0xE0F5E1E2, "erofs"},    {0x3153464A, "jfs"},
}};

constexpr std::string_view lustre = "lustre";

/// Whether the kernel understands the question "who holds a lock here?".
bool has_range_locks(const Descriptor& file) {
    struct flock range{};
    range.l_type = F_RDLCK;
    range.l_whence = SEEK_SET;
    range.l_len = 1;
    return file.calls->lock(file.number, F_OFD_GETLK, &range) == 0;
}

Offset stripe_of(int descriptor) {
    std::array<std::byte, 4096> attribute;
    const auto length = ::fgetxattr(descriptor, "lustre.lov", attribute.data(), attribute.size());
    return length < 0 ? 0 : lustre_stripe_bytes(std::span(attribute).first(length));
}

}  // namespace

std::string file_system_name(std::uint64_t magic) {
    const auto found = std::ranges::find(file_systems, magic, &FileSystem::magic);
    if (found != file_systems.end()) {
        return std::string(found->name);
    }
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "unknown (0x%llx)", (unsigned long long)magic);
    return text.data();
}

Offset lustre_stripe_bytes(std::span<const std::byte> attribute) {
    // struct lov_user_md_v1 and _v3 begin: magic u32, pattern u32, object id 16 bytes, stripe u32.
    constexpr std::uint32_t version_1 = 0x0BD10BD0;
    constexpr std::uint32_t version_3 = 0x0BD30BD0;
    constexpr std::size_t stripe_position = 24;
    std::uint32_t magic = 0;
    std::uint32_t stripe_bytes = 0;
    if (attribute.size() < stripe_position + sizeof stripe_bytes) {
        return 0;
    }
    std::memcpy(&magic, attribute.data(), sizeof magic);
    std::memcpy(&stripe_bytes, attribute.data() + stripe_position, sizeof stripe_bytes);
    return magic == version_1 || magic == version_3 ? Offset{stripe_bytes} : 0;
}

Facts facts_of(const Descriptor& file, const std::string& path) {
    struct statfs system{};
    if (::fstatfs(file.number, &system) != 0) {
        fail("fstatfs", path);
    }
    struct stat status{};
    if (::fstat(file.number, &status) != 0) {
        fail("fstat", path);
    }
    Facts facts;
    // f_type is signed on some systems; the numbers have 32 bits.
    facts.file_system = file_system_name(static_cast<std::uint32_t>(system.f_type));
    facts.block_bytes = std::max<Offset>(status.st_blksize, 1);
    facts.has_range_locks = has_range_locks(file);
    if (facts.file_system == lustre) {
        facts.stripe_bytes = stripe_of(file.number);
    }
    return facts;
}

Facts probe(const std::string& path) {
    // Whether locks work is told of a file only, so a directory gets one without a name for the
    // moment; where that is not possible, the directory itself has to do.
    const auto calls = real_system_calls();
    const auto open_with = [&](int flags) {
        return uninterrupted([&] { return calls->open(path.c_str(), flags | O_CLOEXEC, 0600); });
    };
    int number = open_with(O_TMPFILE | O_RDWR);
    if (number < 0) {
        number = open_with(O_RDONLY | O_NONBLOCK);
    }
    if (number < 0) {
        fail("open", path);
    }
    return facts_of(Descriptor(number, calls), path);
}

}  // namespace pario::storage
