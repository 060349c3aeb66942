import { Outlet, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Toaster } from "@/components/toaster";
import { BundleDialog } from "@/features/bundles/bundle-dialog";
import { DoctorDialog } from "@/features/doctor/doctor-dialog";
import { ProfilesDialog } from "@/features/profiles/profiles-dialog";
import { VaultDialogs } from "@/features/vault/vault-dialogs";
import { Palette } from "@/features/palette/palette";
import { useAddServer } from "@/lib/add-server";
import { AnswerHere, type AnswerHereProps } from "@/lib/answer-place";
import { enterScreen } from "@/lib/enter-screen";
import { showOverlay, useOverlay } from "@/lib/overlays";
import { type PlaceRoute, usePlaces } from "@/lib/places";
import { useShortcut } from "@/lib/shortcuts";
import { useCommand } from "@/lib/use-command";
import { useZoom } from "@/lib/zoom";
import { Arrivals } from "./arrivals";
import { FirstSteps } from "./first-steps";
import { OpenRequests } from "./open-requests";
import { Rail } from "./rail";
import { ShortcutSheet } from "./shortcut-sheet";
import { StatusBar } from "./status-bar";
import { WindowTitle } from "./window-title";

/** Loaded once a call waits for an answer. */
const AnswerInPlace = lazy(() => import("@/features/inbox/answer-in-place").then((module) => ({ default: module.AnswerInPlace })));
/** Usually loaded with the first screen that can open it. */
const TakeOver = lazy(() => import("@/features/apps/take-over/take-over"));
const answerHere = (props: AnswerHereProps) => <AnswerInPlace {...props} />;

/** Everything around the screens: rail, status bar, and overlays. */
export function Frame() {
  const overlay = useOverlay();
  const navigate = useNavigate();
  const addServer = useAddServer();
  const zoom = useZoom();
  const { run } = useCommand();
  // Without Shift, + is = on many keyboards.
  useShortcut("mod++", () => zoom(1), { always: true, repeats: true });
  useShortcut("mod+=", () => zoom(1), { always: true, repeats: true });
  useShortcut("mod+-", () => zoom(-1), { always: true, repeats: true });
  useShortcut("mod+0", () => zoom(0), { always: true });
  useShortcut("mod+k", () => showOverlay(overlay === "palette" ? null : "palette"), { always: true });
  useShortcut("mod+q", () => void run("quit", {}), { always: true });
  useShortcut("?", () => showOverlay("shortcuts"));
  useShortcut("mod+,", () => void navigate({ to: "/settings" }).then(enterScreen));
  useShortcut("i", () => void navigate({ to: "/inbox" }).then(enterScreen));
  useShortcut("n", () => addServer("command"));
  return (
    <div className="grid h-full grid-cols-[var(--rail-width)_minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]">
      {usePlaces().map(({ keys, to }) => keys && <PlaceShortcut key={to} keys={keys} to={to} />)}
      <Rail />
      <div className="col-start-2 min-w-0">
        <FirstSteps />
      </div>
      <AnswerHere value={answerHere}>
        <Outlet />
      </AnswerHere>
      <StatusBar />
      <Palette open={overlay === "palette"} onOpenChange={(open) => showOverlay(open ? "palette" : null)} />
      <Suspense>
        <TakeOver />
      </Suspense>
      <VaultDialogs />
      <DoctorDialog />
      <ProfilesDialog />
      <BundleDialog />
      <ShortcutSheet open={overlay === "shortcuts"} onOpenChange={(open) => showOverlay(open ? "shortcuts" : null)} />
      <Arrivals />
      <OpenRequests />
      <WindowTitle />
      <Toaster />
    </div>
  );
}

function PlaceShortcut({ keys, to }: Pick<Required<PlaceRoute>, "keys" | "to">) {
  const navigate = useNavigate();
  useShortcut(keys, () => void navigate({ to }).then(enterScreen));
  return null;
}
