/**
 * Resolves the references of a schema: in the document itself, or in a schema inside it with its own identifier. Loads
 * nothing.
 */
import { member, type JsonNode } from "./json";
import { ANNOTATIONS, REFERENCES, SILENT } from "./keywords";
import type { JsonReason } from "./model";

export type Resolved = { readonly kind: "found"; readonly node: JsonNode } | { readonly kind: "lost"; readonly reason: JsonReason };

/** A schema that references are relative to: the document, or a part with its own identifier. */
interface Resource {
  readonly node: JsonNode;
  /** Its full identifier. Empty if it has none. */
  readonly base: string;
}

/** Longer identifiers are only compared as written, because resolving them again and again is expensive. */
const LONGEST_BASE = 2_048;
/** The base of an identifier without a scheme, if there is no other. */
const NOWHERE = "mooring-schema:///";

/** Looks up references in a schema document. */
export class Document {
  private readonly root: Resource;
  private readonly anchors = new Map<string, JsonNode>();
  /** By identifier: as written, as Java's `urn:jsonschema:…`, and in full (JSON Schema core 8.2.1). */
  private readonly resources = new Map<string, Resource>();
  /** The base of a schema's references, if it isn't the whole document. */
  private readonly homes = new Map<JsonNode, Resource>();
  private readonly members = new Map<JsonNode, ReadonlyMap<string, JsonNode>>();

  constructor(root: JsonNode) {
    const written = idOf(root);
    this.root = { node: root, base: written === undefined ? "" : (inFull(written, "") ?? written) };
    if (written !== undefined) this.add(written, this.root);
    this.collect(root, this.root, 0);
  }

  /** The reference of a schema and its target. Null if it has none. */
  reference(schema: JsonNode): Resolved | null {
    for (const key of REFERENCES) {
      const found = member(schema, key);
      if (found === undefined) continue;
      if (found.kind !== "string") return { kind: "lost", reason: "malformed" };
      return this.resolve(found.value, this.homes.get(schema) ?? this.root);
    }
    return null;
  }

  /** Whether the schema is only a reference, apart from titles and the like. */
  isBareReference(schema: JsonNode): boolean {
    if (schema.kind !== "object") return false;
    const names: readonly string[] = REFERENCES;
    return (
      schema.members.some((entry) => names.includes(entry.key)) &&
      schema.members.every(
        (entry) => names.includes(entry.key) || SILENT.has(entry.key) || (ANNOTATIONS.has(entry.key) && entry.key !== "nullable"),
      )
    );
  }

  private resolve(reference: string, home: Resource): Resolved {
    const [document = "", fragment = ""] = reference.split("#", 2);
    const from = document === "" ? home : (this.resources.get(document) ?? this.resources.get(inFull(document, home.base) ?? document));
    if (from === undefined) return { kind: "lost", reason: "remoteRef" };
    // Many schemas name a place in the whole document, even in a part with its own identifier.
    const node = this.within(from, fragment) ?? (document === "" ? this.within(this.root, fragment) : undefined);
    return node === undefined ? { kind: "lost", reason: "missingRef" } : { kind: "found", node };
  }

  private within(from: Resource, fragment: string): JsonNode | undefined {
    if (fragment === "") return from.node;
    return fragment.startsWith("/") ? this.pointer(from.node, fragment) : this.anchors.get(`${from.base}#${fragment}`);
  }

  private pointer(from: JsonNode, fragment: string): JsonNode | undefined {
    let here: JsonNode | undefined = from;
    for (const part of fragment.slice(1).split("/")) {
      const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (here.kind === "array") here = /^\d+$/.test(name) ? here.items[Number(name)] : undefined;
      else here = this.member(here, name);
      if (here === undefined) return undefined;
    }
    return here;
  }

  /** A cached member of an object. The last of duplicate keys. */
  private member(node: JsonNode, name: string): JsonNode | undefined {
    if (node.kind !== "object") return undefined;
    let members = this.members.get(node);
    if (members === undefined) {
      members = new Map(node.members.map((entry) => [entry.key, entry.value]));
      this.members.set(node, members);
    }
    return members.get(name);
  }

  private collect(node: JsonNode, around: Resource, depth: number): void {
    if (depth > 100) return;
    if (node.kind === "array") for (const item of node.items) this.collect(item, around, depth + 1);
    if (node.kind !== "object") return;
    const id = node === this.root.node ? undefined : idOf(node);
    // Before 2019-09 an anchor was an identifier with only a fragment.
    const home = id === undefined || id.startsWith("#") ? around : { node, base: inFull(id, around.base) ?? around.base };
    if (id?.startsWith("#") === true) this.addAnchor(id.slice(1), node, around);
    if (home !== around && id !== undefined) this.add(id, home);
    for (const entry of node.members) {
      if ((entry.key === "$anchor" || entry.key === "$dynamicAnchor") && entry.value.kind === "string")
        this.addAnchor(entry.value.value, node, home);
      if (home !== this.root && REFERENCES.some((name) => name === entry.key)) this.homes.set(node, home);
      this.collect(entry.value, home, depth + 1);
    }
  }

  private add(id: string, resource: Resource): void {
    for (const name of [id, resource.base]) if (name !== "" && !this.resources.has(name)) this.resources.set(name, resource);
  }

  /** The first definition of a name counts. */
  private addAnchor(name: string, node: JsonNode, home: Resource): void {
    for (const base of new Set([home.base, this.root.base])) {
      const key = `${base}#${name}`;
      if (!this.anchors.has(key)) this.anchors.set(key, node);
    }
  }
}

/** The identifier of a schema as written, without the empty fragment of old ones. */
function idOf(node: JsonNode): string | undefined {
  for (const key of ["$id", "id"]) {
    const found = member(node, key);
    const id = found?.kind === "string" ? found.value.replace(/#$/, "") : "";
    if (id !== "") return id;
  }
  return undefined;
}

/** The full identifier or reference, relative to its base. Undefined if it can't be resolved. */
function inFull(written: string, base: string): string | undefined {
  if (written.length > LONGEST_BASE || base.length > LONGEST_BASE) return undefined;
  try {
    return new URL(written, base === "" ? NOWHERE : base).href.replace(/#.*$/s, "");
  } catch {
    return undefined;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
