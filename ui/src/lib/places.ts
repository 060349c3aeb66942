// The window's main screens for the rail, the palette and shortcuts, as their routes describe them.
import { type LinkProps, useRouter } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { Texts } from "./i18n";

/** The texts of a screen, with its name and search words. */
type PlaceTexts = { [N in keyof Texts]: Texts[N] extends { place: string; also: string } ? N : never }[keyof Texts];

type Digit = `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

interface Place {
  readonly name: PlaceTexts;
  readonly icon: LucideIcon;
  /** All digits are used, so the next screen has none. */
  readonly keys?: Digit;
}

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Null if only links lead there. */
    place: Place | null;
  }
}

/** A screen with its route. */
export interface PlaceRoute extends Place {
  readonly to: LinkProps["to"];
}

/** The screens in the order of their routes. */
export function usePlaces(): PlaceRoute[] {
  const { routesByPath } = useRouter();
  return Object.values(routesByPath).flatMap(({ fullPath, options }) => {
    const place = options.staticData?.place ?? null;
    return place === null ? [] : [{ ...place, to: fullPath }];
  });
}
