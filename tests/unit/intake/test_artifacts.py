"""Test reports are taken out of zips that code of the pull request made."""

import io
import struct
import zipfile

import pytest

from autofix.intake.artifacts import ReportFile, ZipLimits, ZipRefused, reports_in

REPORT = b'<?xml version="1.0"?>\n<testsuites><testsuite name="a"><testcase name="t"/></testsuite></testsuites>'
SMALL = ZipLimits(zip_bytes=100_000, directory_bytes=10_000, entries=50, file_bytes=20_000, all_bytes=30_000)


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", how) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return stream.getvalue()


def read(data: bytes, limits: ZipLimits = SMALL) -> list[ReportFile | ZipRefused]:
    return list(reports_in("junit", io.BytesIO(data), limits))


def refused(data: bytes, limits: ZipLimits = SMALL) -> str:
    (found,) = read(data, limits)
    assert isinstance(found, ZipRefused)
    return found.reason


def test_every_junit_report_is_taken_and_nothing_else():
    data = zipped(("a/report.xml", REPORT), ("pom.xml", b"<project/>"), ("notes.txt", REPORT), ("B.XML", REPORT))
    assert read(data) == [ReportFile("junit", "a/report.xml", REPORT), ReportFile("junit", "B.XML", REPORT)]


@pytest.mark.parametrize(
    "name",
    [
        "../report.xml",
        "a/../../report.xml",
        "/etc/report.xml",
        "..\\report.xml",
        "\\\\host\\report.xml",
        "C:/report.xml",
    ],
)
def test_a_name_that_points_out_of_the_zip_is_refused(name):
    found = read(zipped((name, REPORT), ("good.xml", REPORT)))
    assert isinstance(found[0], ZipRefused)
    assert "points out of the zip" in found[0].reason
    assert found[1] == ReportFile("junit", "good.xml", REPORT)


@pytest.mark.parametrize("mode", [0o120777, 0o010644, 0o020644, 0o140755])
def test_links_and_special_files_are_refused(mode):
    entry = zipfile.ZipInfo("link.xml")
    entry.external_attr = mode << 16
    assert "no regular file" in refused(zipped((entry, b"/etc/passwd")))


def test_a_bomb_is_stopped_by_what_comes_out_not_by_what_it_says():
    assert "unpacks to more" in refused(zipped(("bomb.xml", b"<testsuite>" + b"0" * 1_000_000)))


def test_a_bomb_that_lies_about_its_size_is_stopped_too():
    content = b"<testsuite>" + b"0" * 1_000_000
    data = zipped(("bomb.xml", content))
    lying = data.replace(struct.pack("<I", len(content)), struct.pack("<I", 10))
    found = read(lying)
    assert not [one for one in found if isinstance(one, ReportFile) and len(one.content) > SMALL.file_bytes]


def test_many_files_together_are_a_bomb_too():
    found = read(zipped(*((f"{number}.xml", REPORT + b" " * 15_000) for number in range(10))))
    assert [type(one) for one in found] == [ReportFile, ZipRefused]


def test_a_zip_of_zips_is_not_opened_further():
    assert read(zipped(("inner.zip", zipped(("a.xml", REPORT))))) == []


def test_a_table_of_contents_of_any_size_is_judged_before_it_is_read():
    many = zipped(*((f"{number}.txt", b"") for number in range(60)))
    assert "table of contents is too large: 60 entries" in refused(many)
    data = bytearray(zipped(("a.xml", REPORT)))
    data[-12:-8] = struct.pack("<I", 0x7FFFFFFF)
    assert "table of contents is too large" in refused(bytes(data))


def test_a_zip64_table_is_refused():
    data = zipped(("a.xml", REPORT))
    at = data.rindex(b"PK\x05\x06")
    locator = b"PK\x06\x07" + b"\0" * 16
    assert "table of contents" in refused(data[:at] + locator + data[at:])


def test_the_download_itself_has_a_limit():
    assert "larger than 100000 bytes" in refused(zipped(("a.xml", bytes(200_000)), how=zipfile.ZIP_STORED))


@pytest.mark.parametrize("data", [b"", b"PK", b"<html>not found</html>", b"PK\x05\x06" + b"\0" * 5, b"\0" * 70_000])
def test_what_is_no_zip_is_refused(data):
    assert refused(data) == "it is no zip"


def test_a_damaged_zip_is_refused():
    data = bytearray(zipped(("a.xml", REPORT * 20)))
    data[45] ^= 0xFF
    found = read(bytes(data))
    assert isinstance(found[-1], ZipRefused)
    assert "no readable zip" in found[-1].reason


def test_an_encrypted_entry_is_refused():
    data = bytearray(zipped(("a.xml", REPORT)))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    assert "encrypted" in refused(bytes(data))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice_is_refused_the_second_time():
    found = read(zipped(("a.xml", REPORT), ("a.xml", b"<testsuite/>")))
    assert [type(one) for one in found] == [ReportFile, ZipRefused]


def test_a_name_with_control_characters_is_shown_without_them():
    (found,) = read(zipped(("a\n::error::b.xml", REPORT)))
    assert isinstance(found, ReportFile)
    assert found.name == "a?::error::b.xml"
