"""The stages `fix` and `deliver`: a bundle written where nothing may be, and delivered where no code runs."""

import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from autofix.cli.action_end import End
from autofix.cli.action_run import account, apply_command, forge_of, pull_doors
from autofix.cli.admitted import Site
from autofix.cli.composing import large_file_pointers
from autofix.delivery.bundle import BUNDLE_FILE, SIZE_LIMIT, Bundle, misfit, pack, unpack
from autofix.delivery.commit_text import commit_text
from autofix.delivery.deliver import PATCH_FILE, Delivered, Delivery, apply_line
from autofix.delivery.foreign_patch import read_patch
from autofix.delivery.patch import Patch, PatchLimits, PatchRefused
from autofix.delivery.rungs import Places
from autofix.errors import AutofixError, NotAsVerified, UsageError
from autofix.harness.redact import Redactor
from autofix.harness.scope import scope_of
from autofix.pipeline.order import COMMENT_FILE, RESULT_FILE
from autofix.report.comment import comment
from autofix.report.facts import Cost, RunReport
from autofix.report.result import result_json
from autofix.state.events import Kind
from autofix.state.journal import Journal
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder
from autofix.world.git_patch import apply_patch
from autofix.world.github_forge import GitHubForge

NO_SANDBOX = "none: delivered from a bundle"


def write_bundle(site: Site, report: RunReport) -> tuple[Path, str]:
    """Leave what the deliver stage needs with the run: its place and its hash."""
    fixed = report.outcome is Outcome.FIXED and report.patch is not None
    data, sha256 = pack(
        Bundle(
            run_id=report.run_id,
            repository=site.run.pull.base_repository.id,
            pull=site.run.pull.number,
            head=site.pull_request.head,
            outcome=report.outcome,
            reason=report.reason,
            before=len(report.baseline.goal) if report.baseline else 0,
            usd=report.cost.usd or Decimal(0),
            patch=report.patch.text if fixed and report.patch else b"",
        )
    )
    return Path(site.directory.keep(BUNDLE_FILE, data)), sha256


def read_bundle(path: Path, sha256: str) -> Bundle:
    """The bundle the inputs name. Raises UsageError where it cannot be had or is another."""
    if not sha256:
        raise UsageError("the stage 'deliver' needs the input 'bundle-hash', an output of the fix stage's job")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return unpack(file.read(SIZE_LIMIT + 1), sha256)
    except OSError as error:
        raise UsageError(f"the input 'bundle': {path} cannot be read: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Deliverer:
    """Delivers one bundle. Nothing of the pull request is run, and no model is asked."""

    site: Site
    bundle: Bundle
    redactor: Redactor

    def deliver(self) -> End:
        site, bundle = self.site, self.bundle
        pull = site.run.pull
        if (bundle.repository, bundle.pull) != (pull.base_repository.id, pull.number):
            raise UsageError("the bundle is about another pull request")
        if bundle.head != pull.head:
            reason = f"#{pull.number} is at {pull.head[:8]}; the bundle was verified on {bundle.head[:8]}"
            return self._told(self._report(Outcome.SUPERSEDED, reason), self._forge())
        forge = self._forge()
        if bundle.outcome is not Outcome.FIXED:
            return self._told(self._report(bundle.outcome, bundle.reason), forge)
        patch = self._patch()
        if isinstance(patch, str):
            return self._told(self._report(Outcome.BLOCKED, f"the bundle was refused: {patch}"), forge)
        return self._told(self._delivered(patch, forge), forge)

    def _forge(self) -> GitHubForge:
        """What the fix stage's job has spent counts from here on, whatever becomes of it."""
        forge = forge_of(self.site)
        account(self.site, forge, self.bundle.usd)
        return forge

    def _take_over(self, patch: Patch | None, done: Delivered | None) -> str:
        if patch is None or done is not None:
            return ""
        return apply_line(apply_command(self.site.entrance.job), str(self.site.directory.path), PATCH_FILE)

    def _patch(self) -> Patch | str:
        """The patch as git here applies it to the head, or why it may not be delivered."""
        site, git = self.site, self.site.git
        patch = read_patch(
            git, lambda commit, text: apply_patch(git, commit, text), self.bundle.head, self.bundle.patch
        )
        if isinstance(patch, PatchRefused):
            return patch.reason
        told, pull_request = site.settings.patch, site.pull_request
        scope = scope_of(pull_request, site.settings.scope.extra, large_file_pointers(git, pull_request))
        found = site.entrance.github.changed_files(site.run.pull.number)
        listed = {file.path for file in found.files} if found.complete else None
        limits = PatchLimits(told.max_files, told.max_lines, told.max_kib * 1024)
        return misfit(patch, scope, listed, limits) or patch

    def _delivered(self, patch: Patch, forge: GitHubForge) -> RunReport:
        site, bundle = self.site, self.bundle
        journal = Journal.create(site.directory.journal, site.entrance.clock)
        try:
            recorder = Recorder(journal, scrub=self.redactor.text)
            recorder.record(
                Kind.RUN_STARTED,
                run=bundle.run_id,
                base=site.pull_request.base,
                head=bundle.head,
                branch=site.pull_request.branch,
                model=site.settings.model.name,
                sandbox=NO_SANDBOX,
                settings={},
                limits={},
                fence="",
            )
            delivery = Delivery(
                run_id=bundle.run_id,
                highest=site.settings.delivery,
                places=Places(forge, pull_doors(site)),
                git=site.git,
                recorder=recorder,
                keep=site.directory.keep,
                apply=apply_command(site.entrance.job),
            )
            text = commit_text(
                bundle.run_id,
                before=bundle.before,
                after=0,
                files=len(patch.files),
                spent=account(site, forge, bundle.usd),
            )
            done = delivery.deliver(patch, text)
        except NotAsVerified as error:
            return self._report(Outcome.ERROR, str(error), patch)
        finally:
            journal.close()
        if isinstance(done, Delivered):
            return self._report(Outcome.FIXED, bundle.reason, patch, done)
        return self._report(Outcome.SUPERSEDED, done.reason, patch)

    def _report(
        self, outcome: Outcome, reason: str, patch: Patch | None = None, done: Delivered | None = None
    ) -> RunReport:
        site, bundle = self.site, self.bundle
        return RunReport(
            run_id=bundle.run_id,
            outcome=outcome,
            reason=reason,
            model=site.settings.model.name,
            sandbox=NO_SANDBOX,
            run_directory=str(site.directory.path),
            pull_request=site.pull_request,
            patch=patch,
            delivered=done,
            cost=Cost(usd=bundle.usd, basis="as the fix stage told it"),
            findings=site.findings,
            page=site.entrance.job.page,
            take_over=self._take_over(patch, done),
            bundled=True,
        )

    def _told(self, report: RunReport, forge: GitHubForge) -> End:
        """The comment and result.json, as at every end of a run."""
        body = comment(report, self.redactor.text)
        self.site.directory.keep(COMMENT_FILE, body.encode("utf-8", "replace"))
        place = ""
        if self.site.settings.delivery != "dry-run":
            try:
                place = forge.comment(body).location
            except AutofixError as error:
                report = report.noting([f"the comment could not be written: {error}"])
        self.site.directory.keep(RESULT_FILE, result_json(report, self.redactor.text))
        return End.of_run(report, place)
