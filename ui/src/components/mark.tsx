/** The application's logo: a mooring ring on its plate. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 22 22" className="shrink-0 text-accent">
      <rect width="22" height="22" rx="6" fill="currentColor" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round">
        <circle cx="11" cy="6.2" r="1.7" />
        <path d="M11 7.9v9.2M8.2 10.2h5.6M5.2 12.6c0 2.7 2.4 4.5 5.8 4.5s5.8-1.8 5.8-4.5" />
      </g>
    </svg>
  );
}
