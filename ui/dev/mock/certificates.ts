// Authorities' certificates: a trusted but expired one, and those of any imported file.
import type { CertificateView } from "@/ipc/bindings/CertificateView";
import type { NetworkProblem } from "@/ipc/bindings/NetworkProblem";
import type { Args } from "./handlers";
import { Part } from "./part";
import { said } from "./say";

const fingerprint = (seed: number) =>
  Array.from({ length: 32 }, (_, at) => ((seed * 89 + at * 47) % 256).toString(16).toUpperCase().padStart(2, "0")).join(":");

const certificate = (seed: number, name: string, issuer: string, endsMs: number): CertificateView => ({
  name,
  issuer,
  endsMs,
  fingerprint: fingerprint(seed),
  der: `certificate-${seed}`,
});

const old = certificate(3, "Harbour Root 2015", "Harbour Root 2015", Date.UTC(2025, 5, 30, 12));
const found = [
  certificate(1, "Harbour Root CA", "Harbour Root CA", Date.UTC(2036, 2, 14, 9)),
  certificate(2, "Harbour Inspection CA 2", "Harbour Root CA", Date.UTC(2028, 8, 1, 9)),
];
/** Another program changed the network settings. */
const changed: NetworkProblem = {
  doubt: "changed",
  message: said("Another program changed the network settings. What you saved counts."),
  stored: [said("the proxy {url}", { url: "http://proxy.test:1" })],
  hash: "1",
};

export class Certificates extends Part {
  private list = this.scene === "offers" ? [old, ...found] : [];
  private problem = this.scene === "apps_changed" ? changed : null;

  private set(list: CertificateView[]): null {
    this.list = list;
    this.host.tell({ kind: "settings" });
    return null;
  }

  list_certificates = async () => this.list;
  read_certificates = async () => found;
  add_certificates = async ({ ders }: Args<"add_certificates">) =>
    this.set([...this.list, ...[old, ...found].filter((one) => ders.includes(one.der) && !this.list.includes(one))]);
  remove_certificate = async ({ fingerprint: gone }: Args<"remove_certificate">) =>
    this.set(this.list.filter((known) => known.fingerprint !== gone));
  get_network_problem = async () => this.problem;
  settle_network = async ({ take }: Args<"settle_network">) => {
    this.problem = null;
    return this.set(take ? [old] : this.list);
  };
}
