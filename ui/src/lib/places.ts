// The places of the window: its screens that the rail, the palette and a key lead to, as their routes describe them.
import { type LinkProps, useRouter } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { Texts } from "./i18n";

/** Texts of a screen: they have its name and other words that find it. */
type PlaceTexts = { [N in keyof Texts]: Texts[N] extends { place: string; also: string } ? N : never }[keyof Texts];

type Digit = `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

interface Place {
  readonly name: PlaceTexts;
  readonly icon: LucideIcon;
  /** All digits stand for a place already: the next one has none. */
  readonly keys?: Digit;
}

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Null: nothing but a link leads there. */
    place: Place | null;
  }
}

/** A place with the address of its route. */
export interface PlaceRoute extends Place {
  readonly to: LinkProps["to"];
}

/** The places in the order of their routes. */
export function usePlaces(): PlaceRoute[] {
  const { routesByPath } = useRouter();
  return Object.values(routesByPath).flatMap(({ fullPath, options }) => {
    const place = options.staticData?.place ?? null;
    return place === null ? [] : [{ ...place, to: fullPath }];
  });
}
