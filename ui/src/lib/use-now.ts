import { useEffect, useState } from "react";

/** The current time, updated every `ms` while the window is visible. */
export function useNow(ms: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const renew = () => setNow(Date.now());
    const follow = () => {
      clearInterval(timer);
      if (document.visibilityState === "hidden") return;
      timer = setInterval(renew, ms);
    };
    const shown = () => {
      follow();
      renew();
    };
    follow();
    document.addEventListener("visibilitychange", shown);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [ms]);
  return now;
}
