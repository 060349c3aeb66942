import type { PinView } from "@/ipc/bindings/PinView";

/** Whether there is something to approve. */
export const isOpen = (pin: PinView): boolean => pin.state === "new" || pin.state === "changed";
