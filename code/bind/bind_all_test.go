//go:build languages_all

package bind_test

import "testing"

func TestCallsOfMoreLanguages(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"C++", `
-- foo.h --
namespace a { class Base { public: void up(); }; class Foo : public Base { public: void run(); static int s(); Base b; }; }
int helper();
-- foo.cpp --
#include "foo.h"
namespace a {
void Foo::run() { go(); this->up(); Foo::s(); helper(); b.up(); std::move(x); unknown(); }
void Base::up() {}
int Foo::s() { return 1; }
}
int helper() { return 1; }
int go() { return 2; }
`, `foo.cpp#a.Foo.run calls foo.cpp#a.Base.up by receiver
foo.cpp#a.Foo.run calls foo.cpp#a.Foo.s by file
foo.cpp#a.Foo.run calls foo.cpp#go by file
foo.cpp#a.Foo.run calls foo.cpp#helper by file`},
		{"C#", `
-- A.cs --
using Lib;
namespace App { public class A : Base { private Store _store; void Run() { Go(); this.Go(); base.Up(); _store.Get(); var s = new Store(); s.Get(); int.TryParse("1", out var x); Up(); } void Go() {} } public class Base { public void Up() {} } }
-- Lib/Store.cs --
namespace Lib { public class Store { public void Get() {} public static bool TryParse(string s, out int x) { x = 1; return true; } } }
`, `A.cs#A.Run calls A.cs#A.Go by file
A.cs#A.Run calls A.cs#Base.Up by receiver
A.cs#A.Run calls Lib/Store.cs#Store by import
A.cs#A.Run calls Lib/Store.cs#Store.Get by declared`},
		{"PHP", `
-- src/A.php --
<?php
namespace App;
use Lib\Store;
class A extends Base { private Store $store; function run(Store $s) { $this->go(); parent::up(); self::go(); $s->get(); $this->store->get(); Store::of(); new Store(); $x->get(); get(); } function go() {} }
-- src/Base.php --
<?php
namespace App;
class Base { function up() {} }
-- lib/Store.php --
<?php
namespace Lib;
class Store { public function __construct() {} function get() {} static function of() {} }
`, `src/A.php#A.run calls src/A.php#A.go by receiver
src/A.php#A.run calls src/Base.php#Base.up by receiver
src/A.php#A.run calls lib/Store.php#Store.get by declared
src/A.php#A.run calls lib/Store.php#Store.of by import
src/A.php#A.run calls lib/Store.php#Store by import
src/A.php#A.run calls lib/Store.php#Store.__construct by import`},
		{"Ruby", `
-- lib/a.rb --
require_relative 'store'
class A < Base
  def initialize; @store = Store.new; end
  def run(x); go; self.go; @store.get; x.get; up; Store.make; take = 1; take; end
  def go; end
end
-- lib/store.rb --
class Store
  def get; end
  def self.make; end
end
class Base
  def up; end
end
-- lib/other.rb --
def take; end
`, `lib/a.rb#A.initialize calls lib/store.rb#Store by import
lib/a.rb#A.run calls lib/a.rb#A.go by file
lib/a.rb#A.run calls lib/store.rb#Store.get by declared
lib/a.rb#A.run calls lib/store.rb#Base.up by receiver
lib/a.rb#A.run calls lib/store.rb#Store.make by import`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want, "calls") })
	}
}
