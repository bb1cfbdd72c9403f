//go:build languages_all

package syntax_test

var moreSamples = []struct{ path, text string }{
	{"src/foo.cpp", `#include "x.h"
namespace a { namespace b {
class Foo : public Bar, private Baz { public: Foo(); ~Foo(); void run() const { this->go(); go(); helper(); x.y(); } static int s(); template<class T> T t(T a) { return a; } int z; };
template <typename T> struct P { T v; };
void Foo::go(int a) { Foo::s(); run(); }
int helper() { Foo f; f.run(); auto g = new Foo(); return 1; }
enum class E { A };
using X = int;
}}
a::b::Foo::Foo() {}
`},
	{"src/Foo.cs", `using System; using A.B;
namespace N.M {
  /// <summary>x</summary>
  public class Foo<T> : Base, IFoo where T : class {
    private readonly Store _store; public int P { get; set; } public Store Q => _store;
    public Foo(Store s) : base(s) { _store = s; this.Run(); base.Run(); Go(); var x = new Bar(); x.Do(); }
    [Fact] public async Task<int> Run() { _store.Get(); Store.Static(); foreach (var a in b) { a.C(); } return 1; }
    const int K = 1; delegate void D(); public struct S {} enum E { A } record R(int X);
    void L() { int Local() => 1; Local(); }
  }
  interface IFoo { void Run(); }
}
`},
	{"lib/foo.rb", `require_relative 'lib/store'
# Doc
module A
  class Foo < Base
    include Mix
    LIMIT = 3
    attr_reader :x
    def initialize(a, b = 1) ; @store = Store.new(a) ; end
    def self.make ; new ; end
    def run(x) ; go ; self.go ; @store.get(1) ; x.each { |y| y.z } ; super ; Foo.make ; end
    class << self
      def other; end
    end
    private def go ; end
  end
end
def top ; top2() ; end
`},
	{"src/Foo.php", `<?php
namespace A\B;
use C\D\Store; use function C\helper;
/** Doc */
abstract class Foo extends Base implements IFoo {
  use Mix;
  const LIMIT = 1;
  private Store $store; public static $x;
  public function __construct(private Other $o, Store $s = null) { $this->store = new Store(); parent::__construct(); }
  public static function make(): self { return new self(); }
  protected function run(Store $s): Store { $this->go(); $s->get(); $this->store->get(); self::make(); Store::of(); helper(); return $s; }
}
interface IFoo { public function x(); }
trait Mix {}
enum E { case A; }
function top(int $a) { return top2($a); }
`},
}
