import { type RefObject, useEffect, useRef } from "react";

/** Sets bytes as an element's source, with a URL that only this page can read and only while it is shown. */
export function useBytesAsSource<E extends HTMLImageElement | HTMLAudioElement>(
  bytes: Uint8Array<ArrayBuffer>,
  mime: string,
): RefObject<E | null> {
  const element = useRef<E>(null);
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([bytes], { type: mime }));
    if (element.current) element.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [bytes, mime]);
  return element;
}
